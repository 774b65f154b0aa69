CREATE PROCEDURE sys.sp_helprotect
    @name nvarchar(776) = NULL, @username sysname = NULL, @grantorname sysname = NULL, @permissionarea varchar(10) = 'o s'
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @objects bit = CASE WHEN CHARINDEX('o', LOWER(@permissionarea)) > 0 THEN 1 ELSE 0 END
    DECLARE @statements bit = CASE WHEN CHARINDEX('s', LOWER(@permissionarea)) > 0 THEN 1 ELSE 0 END
    DECLARE @id int = OBJECT_ID(@name)
    CREATE TABLE #found (area int, owner sysname, object sysname, grantee sysname, grantor sysname, state char(1), protect nvarchar(10),
        action nvarchar(60), columns sysname, number int)
    -- Permissions that SQL Server 2000 knew, under the names that it had for them.
    INSERT #found
    SELECT 1, SCHEMA_NAME(o.schema_id), o.name, USER_NAME(p.grantee_principal_id), USER_NAME(p.grantor_principal_id), p.state,
        CASE p.state WHEN 'D' THEN N'Deny      ' WHEN 'W' THEN N'Grant_WGO ' ELSE N'Grant     ' END,
        UPPER(LEFT(p.permission_name, 1)) + LOWER(SUBSTRING(p.permission_name, 2, 60)),
        CASE WHEN p.minor_id <> 0 THEN COL_NAME(p.major_id, p.minor_id)
            WHEN p.type NOT IN ('SL', 'UP', 'RF') OR o.type NOT IN ('U', 'V', 'IF', 'TF') THEN N'.'
            WHEN EXISTS (SELECT * FROM sys.database_permissions c WHERE c.class = 1 AND c.major_id = p.major_id AND c.minor_id <> 0
                AND c.type = p.type AND c.grantee_principal_id = p.grantee_principal_id) THEN N'(New)'
            ELSE N'(All+New)' END,
        p.minor_id
    FROM sys.database_permissions p
    JOIN sys.all_objects o ON o.object_id = p.major_id
    WHERE p.class = 1 AND p.type IN ('RF', 'SL', 'IN', 'DL', 'UP', 'EX') AND p.state IN ('G', 'W', 'D') AND @objects = 1
        AND (@name IS NULL OR p.major_id = @id)
    -- The columns that a permission on the whole object still reaches where others of them have rows of their own.
    INSERT #found
    SELECT 1, SCHEMA_NAME(o.schema_id), o.name, USER_NAME(p.grantee_principal_id), USER_NAME(p.grantor_principal_id), p.state,
        CASE p.state WHEN 'D' THEN N'Deny      ' WHEN 'W' THEN N'Grant_WGO ' ELSE N'Grant     ' END,
        UPPER(LEFT(p.permission_name, 1)) + LOWER(SUBSTRING(p.permission_name, 2, 60)), k.name, k.column_id
    FROM sys.database_permissions p
    JOIN sys.all_objects o ON o.object_id = p.major_id
    JOIN sys.all_columns k ON k.object_id = p.major_id
    WHERE p.class = 1 AND p.minor_id = 0 AND p.type IN ('RF', 'SL', 'UP') AND p.state IN ('G', 'W', 'D') AND @objects = 1
        AND (@name IS NULL OR p.major_id = @id)
        AND EXISTS (SELECT * FROM sys.database_permissions c WHERE c.class = 1 AND c.major_id = p.major_id AND c.minor_id <> 0
            AND c.type = p.type AND c.grantee_principal_id = p.grantee_principal_id)
        AND NOT EXISTS (SELECT * FROM sys.database_permissions c WHERE c.class = 1 AND c.major_id = p.major_id
            AND c.minor_id = k.column_id AND c.type = p.type AND c.grantee_principal_id = p.grantee_principal_id)
    INSERT #found
    SELECT 2, N'.', N'.', USER_NAME(p.grantee_principal_id), USER_NAME(p.grantor_principal_id), p.state,
        CASE p.state WHEN 'D' THEN N'Deny      ' WHEN 'W' THEN N'Grant_WGO ' ELSE N'Grant     ' END,
        CASE p.permission_name WHEN 'CONNECT' THEN N'CONNECT' WHEN 'CREATE DATABASE' THEN N'Create Database'
            WHEN 'CREATE DEFAULT' THEN N'Create Default' WHEN 'CREATE FUNCTION' THEN N'Create Function'
            WHEN 'CREATE PROCEDURE' THEN N'Create Procedure' WHEN 'CREATE RULE' THEN N'Create Rule'
            WHEN 'CREATE TABLE' THEN N'Create Table' WHEN 'CREATE VIEW' THEN N'Create View'
            WHEN 'BACKUP DATABASE' THEN N'Backup Database' ELSE N'Backup Log' END,
        N'.', 0
    FROM sys.database_permissions p
    WHERE p.class = 0 AND p.state IN ('G', 'W', 'D') AND @statements = 1
        AND p.permission_name IN ('CONNECT', 'CREATE DATABASE', 'CREATE DEFAULT', 'CREATE FUNCTION', 'CREATE PROCEDURE', 'CREATE RULE',
            'CREATE TABLE', 'CREATE VIEW', 'BACKUP DATABASE', 'BACKUP LOG')
        AND (@name IS NULL OR @id IS NULL AND p.permission_name = UPPER(@name))
    DELETE #found WHERE @username IS NOT NULL AND grantee <> @username OR @grantorname IS NOT NULL AND grantor <> @grantorname
    IF NOT EXISTS (SELECT * FROM #found)
    BEGIN
        RAISERROR(15330, 11, 1)
        RETURN 1
    END
    SELECT owner AS Owner, object AS Object, grantee AS Grantee, grantor AS Grantor, protect AS ProtectType, action AS Action,
        columns AS [Column]
    FROM #found ORDER BY area, owner, object, grantee, grantor, protect, action, number
    RETURN 0
END
