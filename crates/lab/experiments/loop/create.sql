CREATE DATABASE [$(database)]
ON (NAME = lab_data, FILENAME = '$(data_path)$(database).mdf', SIZE = $(data_mb)MB)
LOG ON (NAME = lab_log, FILENAME = '$(log_path)$(database).ldf', SIZE = $(log_mb)MB)
GO
ALTER DATABASE [$(database)] SET RECOVERY SIMPLE
GO
$(pipelined)
