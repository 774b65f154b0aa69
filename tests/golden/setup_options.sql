-- What set-up and hardening scripts set by sp_configure: in force, kept without effect, or refused where it would switch on what is not there.
--@ source: documentation sp_configure
EXEC sp_configure 'show advanced options', 1
RECONFIGURE
GO
-- Hardening: what is off stays off, and that is no error.
--@ source: documentation sp_configure
EXEC sp_configure 'Ad Hoc Distributed Queries', 0
EXEC sp_configure 'clr enabled', 0
EXEC sp_configure 'clr strict security', 1
EXEC sp_configure 'cross db ownership chaining', 0
EXEC sp_configure 'Database Mail XPs', 0
EXEC sp_configure 'Ole Automation Procedures', 0
EXEC sp_configure 'remote access', 0
EXEC sp_configure 'scan for startup procs', 0
EXEC sp_configure 'contained database authentication', 0
EXEC sp_configure 'external scripts enabled', 0
EXEC sp_configure 'filestream access level', 0
RECONFIGURE WITH OVERRIDE
GO
-- Tuning: kept, shown, and said to be without effect.
--@ source: reasoned
EXEC sp_configure 'user connections', 100
EXEC sp_configure 'recovery interval (min)', 5
EXEC sp_configure 'priority boost', 1
EXEC sp_configure 'lightweight pooling', 1
EXEC sp_configure 'affinity mask', 3
EXEC sp_configure 'index create memory (KB)', 2048
EXEC sp_configure 'tempdb metadata memory-optimized', 1
EXEC sp_configure 'automatic soft-NUMA disabled', 1
EXEC sp_configure 'in-doubt xact resolution', 2
EXEC sp_configure 'remote query timeout (s)', 0
RECONFIGURE
GO
--@ source: documentation sys.configurations
SELECT configuration_id, name, value, value_in_use, is_advanced FROM sys.configurations
WHERE name IN ('user connections', 'affinity mask', 'tempdb metadata memory-optimized', 'remote query timeout (s)')
ORDER BY configuration_id
GO
-- What would switch on something that is not there.
--@ source: reasoned
EXEC sp_configure 'clr enabled', 1
GO
--@ source: reasoned
EXEC sp_configure 'external scripts enabled', 1
GO
--@ source: reasoned
EXEC sp_configure 'polybase enabled', 1
GO
--@ source: message 15123
EXEC sp_configure 'no such option', 1
GO
-- As it was.
--@ source: reasoned
EXEC sp_configure 'user connections', 0
EXEC sp_configure 'recovery interval (min)', 0
EXEC sp_configure 'priority boost', 0
EXEC sp_configure 'lightweight pooling', 0
EXEC sp_configure 'affinity mask', 0
EXEC sp_configure 'index create memory (KB)', 0
EXEC sp_configure 'tempdb metadata memory-optimized', 0
EXEC sp_configure 'automatic soft-NUMA disabled', 0
EXEC sp_configure 'in-doubt xact resolution', 0
EXEC sp_configure 'remote query timeout (s)', 600
EXEC sp_configure 'show advanced options', 0
RECONFIGURE
GO
