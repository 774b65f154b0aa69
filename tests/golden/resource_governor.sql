-- The resource governor, which is off: what health checks ask of it.
--@ source: documentation sys.resource_governor_configuration
SELECT is_enabled, classifier_function_id, max_outstanding_io_per_volume FROM sys.resource_governor_configuration
SELECT is_reconfiguration_pending, classifier_function_id FROM sys.dm_resource_governor_configuration
GO
--@ source: documentation sys.resource_governor_workload_groups
SELECT g.group_id, g.name, g.importance, g.request_max_memory_grant_percent, g.max_dop, p.name AS pool, p.max_cpu_percent, p.cap_cpu_percent, CASE WHEN d.name = g.name AND d.pool_id = g.pool_id AND d.external_pool_id = g.external_pool_id THEN 'the same' END AS in_force
FROM sys.resource_governor_workload_groups g JOIN sys.resource_governor_resource_pools p ON p.pool_id = g.pool_id JOIN sys.dm_resource_governor_workload_groups d ON d.group_id = g.group_id ORDER BY g.group_id
GO
