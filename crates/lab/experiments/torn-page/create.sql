CREATE DATABASE [$(database)]
ON (NAME = lab_data, FILENAME = '$(data_path)$(database).mdf', SIZE = $(data_mb)MB)
LOG ON (NAME = lab_log, FILENAME = '$(log_path)$(database).ldf', SIZE = $(log_mb)MB)
GO
-- No checkpoint but those of the scripts.
ALTER DATABASE [$(database)] SET RECOVERY SIMPLE
GO
ALTER DATABASE [$(database)] SET TARGET_RECOVERY_TIME = 0 SECONDS
