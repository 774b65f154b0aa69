CREATE PROCEDURE sys.sp_helpconstraint
    @objname nvarchar(776),
    @nomsg varchar(5) = 'msg'
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @id int = OBJECT_ID(@objname), @database sysname = DB_NAME()
    IF @id IS NULL OR NOT EXISTS (SELECT * FROM sys.tables WHERE object_id = @id)
    BEGIN
        RAISERROR(15009, 16, 1, @objname, @database)
        RETURN 1
    END
    IF @nomsg <> 'nomsg'
        SELECT @objname AS [Object Name]
    IF NOT EXISTS (SELECT * FROM sys.objects WHERE parent_object_id = @id AND type IN ('C', 'D', 'PK', 'UQ'))
    BEGIN
        IF @nomsg <> 'nomsg' RAISERROR(15469, -1, -1, @objname)
    END
    ELSE
        SELECT constraint_type, constraint_name, delete_action, update_action, status_enabled, status_for_replication,
            constraint_keys
        FROM (
            SELECT CONVERT(nvarchar(146), CASE WHEN c.parent_column_id = 0 THEN N'CHECK Table Level '
                    ELSE N'CHECK on column ' + COL_NAME(@id, c.parent_column_id) END) AS constraint_type,
                c.name AS constraint_name,
                CONVERT(nvarchar(9), N'(n/a)') AS delete_action, CONVERT(nvarchar(9), N'(n/a)') AS update_action,
                CONVERT(varchar(8), CASE WHEN c.is_disabled = 1 THEN 'Disabled' ELSE 'Enabled' END) AS status_enabled,
                CONVERT(varchar(19), 'Is_For_Replication') AS status_for_replication,
                CONVERT(nvarchar(2126), c.definition) AS constraint_keys
            FROM sys.check_constraints AS c WHERE c.parent_object_id = @id
            UNION ALL
            SELECT CONVERT(nvarchar(146), N'DEFAULT on column ' + COL_NAME(@id, d.parent_column_id)), d.name,
                N'(n/a)', N'(n/a)', '(n/a)', '(n/a)', CONVERT(nvarchar(2126), d.definition)
            FROM sys.default_constraints AS d WHERE d.parent_object_id = @id
            UNION ALL
            SELECT CONVERT(nvarchar(146), CASE k.type WHEN 'PK' THEN N'PRIMARY KEY ' ELSE N'UNIQUE ' END
                    + CASE i.type WHEN 1 THEN N'(clustered)' ELSE N'(non-clustered)' END), k.name,
                N'(n/a)', N'(n/a)', '(n/a)', '(n/a)',
                CONVERT(nvarchar(2126), (SELECT STRING_AGG(COL_NAME(@id, x.column_id)
                        + CASE WHEN x.is_descending_key = 1 THEN N'(-)' ELSE N'' END, N', ') WITHIN GROUP (ORDER BY x.key_ordinal)
                    FROM sys.index_columns AS x
                    WHERE x.object_id = @id AND x.index_id = k.unique_index_id AND x.key_ordinal > 0))
            FROM sys.key_constraints AS k
            JOIN sys.indexes AS i ON i.object_id = k.parent_object_id AND i.index_id = k.unique_index_id
            WHERE k.parent_object_id = @id) AS of_table
        ORDER BY constraint_name
    IF @nomsg <> 'nomsg'
        RAISERROR(15470, -1, -1, @objname)
    RETURN 0
END
