//! The statements behind the pages of queries and indexes: what has run, what it has cost, which indexes it used and would have used.

/// Statements whose plans the cache holds, by what they have cost. A page puts another figure behind ORDER BY, and leaves WHERE out.
pub(super) const TOP_QUERIES: &str = "SELECT TOP (100) CONVERT(varchar(130), q.plan_handle, 1),
       q.statement_start_offset, q.statement_end_offset,
       CONVERT(varchar(18), q.query_hash, 1), OBJECT_NAME(t.objectid, t.dbid),
       SUBSTRING(t.text, q.statement_start_offset / 2 + 1,
                 (CASE q.statement_end_offset WHEN -1 THEN 2147483646 ELSE q.statement_end_offset END - q.statement_start_offset) / 2 + 1),
       CONVERT(varchar(19), q.creation_time, 120), CONVERT(varchar(19), q.last_execution_time, 120), q.execution_count,
       q.total_worker_time, q.last_worker_time, q.min_worker_time, q.max_worker_time,
       q.total_elapsed_time, q.last_elapsed_time, q.min_elapsed_time, q.max_elapsed_time,
       q.total_logical_reads, q.last_logical_reads, q.min_logical_reads, q.max_logical_reads,
       q.total_physical_reads, q.last_physical_reads, q.min_physical_reads, q.max_physical_reads,
       q.total_logical_writes, q.last_logical_writes, q.min_logical_writes, q.max_logical_writes,
       q.total_rows, q.last_rows, q.min_rows, q.max_rows
FROM sys.dm_exec_query_stats q
CROSS APPLY sys.dm_exec_sql_text(q.sql_handle) t
WHERE t.text NOT LIKE '%sys.dm[_]%' AND t.text NOT LIKE '%taffrail.%'
ORDER BY q.total_worker_time DESC";

/// The plan of a statement that the cache holds; a page puts the plan's handle and the statement's place into theirs.
pub(super) const QUERY_PLAN: &str = "SELECT query_plan
FROM sys.dm_exec_text_query_plan(@plan, @start, @end)";

/// Indexes of a database's tables with their use and what is told of their room; a page runs it in that database.
macro_rules! index_use {
    ($room:literal) => {
        concat!(
            "SELECT TOP (2000) s.name, o.name, ISNULL(i.name, 'heap'), i.type_desc,
       i.is_primary_key, i.is_unique,
       ISNULL(u.user_seeks, 0), ISNULL(u.user_scans, 0), ISNULL(u.user_lookups, 0), ISNULL(u.user_updates, 0),
       CONVERT(varchar(19), (SELECT MAX(v.at) FROM (VALUES (u.last_user_seek), (u.last_user_scan), (u.last_user_lookup)) v (at)), 120),
",
            $room,
            "
FROM sys.indexes i
JOIN sys.objects o ON o.object_id = i.object_id
JOIN sys.schemas s ON s.schema_id = o.schema_id
LEFT JOIN sys.dm_db_index_usage_stats u
  ON u.database_id = DB_ID() AND u.object_id = i.object_id AND u.index_id = i.index_id
WHERE o.type = 'U' AND o.is_ms_shipped = 0
ORDER BY s.name, o.name, i.index_id"
        )
    };
}

/// Indexes of a database's tables, and how often each was used since the database was opened.
pub(super) const INDEX_USE: &str = index_use!(
    "       (SELECT SUM(p.row_count) FROM sys.dm_db_partition_stats p WHERE p.object_id = i.object_id AND p.index_id = i.index_id),
       (SELECT SUM(p.reserved_page_count) * 8 FROM sys.dm_db_partition_stats p
        WHERE p.object_id = i.object_id AND p.index_id = i.index_id)"
);

/// Use of indexes without their rows and room, for a login that may not see those.
pub(super) const INDEX_USE_UNSIZED: &str = index_use!("       NULL, NULL");

/// Indexes that plans would have used, of all databases, those first that would have saved most.
pub(super) const MISSING_INDEXES: &str =
    "SELECT TOP (100) d.statement, d.equality_columns, d.inequality_columns, d.included_columns,
       s.user_seeks + s.user_scans, s.avg_total_user_cost, s.avg_user_impact,
       s.avg_total_user_cost * s.avg_user_impact / 100 * (s.user_seeks + s.user_scans),
       CONVERT(varchar(19), s.last_user_seek, 120)
FROM sys.dm_db_missing_index_details d
JOIN sys.dm_db_missing_index_groups g ON g.index_handle = d.index_handle
JOIN sys.dm_db_missing_index_group_stats s ON s.group_handle = g.index_group_handle
ORDER BY 8 DESC";
