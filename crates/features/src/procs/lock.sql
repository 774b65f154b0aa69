CREATE PROCEDURE sys.sp_lock
    @spid1 int = NULL,
    @spid2 int = NULL
AS
BEGIN
    SET NOCOUNT ON
    SELECT CONVERT(smallint, request_session_id) AS spid,
        CONVERT(smallint, resource_database_id) AS dbid,
        CONVERT(int, CASE WHEN resource_type = 'OBJECT' THEN resource_associated_entity_id ELSE 0 END) AS ObjId,
        CONVERT(smallint, 0) AS IndId,
        CONVERT(nchar(4), CASE resource_type WHEN 'DATABASE' THEN 'DB' WHEN 'FILE' THEN 'FIL' WHEN 'OBJECT' THEN 'TAB'
            WHEN 'PAGE' THEN 'PAG' WHEN 'KEY' THEN 'KEY' WHEN 'EXTENT' THEN 'EXT' WHEN 'RID' THEN 'RID'
            WHEN 'APPLICATION' THEN 'APP' WHEN 'METADATA' THEN 'MD' WHEN 'HOBT' THEN 'HBT'
            WHEN 'ALLOCATION_UNIT' THEN 'AU' ELSE 'NUL' END) AS Type,
        CONVERT(nchar(32), resource_description) AS Resource,
        CONVERT(nvarchar(8), request_mode) AS Mode,
        CONVERT(nvarchar(5), CASE request_status WHEN 'GRANT' THEN 'GRANT' WHEN 'CONVERT' THEN 'CNVT' ELSE 'WAIT' END) AS Status
    FROM sys.dm_tran_locks
    WHERE @spid1 IS NULL OR request_session_id = @spid1 OR request_session_id = @spid2
    ORDER BY spid, dbid, ObjId
    RETURN 0
END
