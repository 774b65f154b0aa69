CREATE PROCEDURE sys.sp_validatelogins
AS
BEGIN
    SET NOCOUNT ON
    -- Those of Windows that are gone: a login of Windows is none of this server's.
    SELECT p.sid AS SID, p.name AS [NT Login] FROM sys.server_principals p WHERE p.type IN ('U', 'G')
END
