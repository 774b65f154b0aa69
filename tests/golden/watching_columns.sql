-- The columns of the views that watching asks, in their order, with types and whether they can be NULL.
--@ source: documentation system-dynamic-management-views
SELECT o.name AS [view], c.column_id AS n, c.name AS [column],
    t.name + CASE WHEN t.name IN ('nvarchar', 'nchar') THEN '(' + CASE c.max_length WHEN -1 THEN 'max' ELSE CAST(c.max_length / 2 AS varchar(10)) END + ')'
        WHEN t.name IN ('varchar', 'char', 'varbinary', 'binary') THEN '(' + CASE c.max_length WHEN -1 THEN 'max' ELSE CAST(c.max_length AS varchar(10)) END + ')'
        WHEN t.name IN ('numeric', 'decimal') THEN CONCAT('(', c.precision, ',', c.scale, ')') WHEN t.name = 'datetime2' THEN CONCAT('(', c.scale, ')') ELSE '' END AS type, c.is_nullable AS nullable
FROM sys.all_columns c JOIN sys.all_objects o ON o.object_id = c.object_id JOIN sys.types t ON t.user_type_id = c.system_type_id
WHERE o.schema_id = SCHEMA_ID('sys') AND (o.name LIKE 'dm[_]os[_]%' OR o.name LIKE 'dm[_]io[_]%' OR o.name LIKE 'dm[_]xe[_]%' OR o.name LIKE 'dm[_]tran[_]%' OR o.name LIKE 'server[_]event[_]%'
    OR o.name LIKE 'trace%' OR o.name LIKE 'fn[_]trace[_]%' OR o.name IN ('dm_db_session_space_usage', 'dm_db_task_space_usage', 'dm_server_registry', 'dm_server_services', 'dm_tcp_listener_states',
    'dm_exec_sessions', 'dm_exec_requests', 'dm_exec_connections', 'dm_exec_session_wait_stats', 'fn_xe_file_target_read_file', 'dm_db_log_info', 'dm_db_log_stats', 'dm_db_log_space_usage', 'sysprocesses'))
ORDER BY o.name, c.column_id
GO
