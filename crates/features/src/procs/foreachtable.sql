CREATE PROCEDURE sys.sp_MSforeachtable
    @command1 nvarchar(2000),
    @replacechar nchar(1) = N'?',
    @command2 nvarchar(2000) = NULL,
    @command3 nvarchar(2000) = NULL,
    @whereand nvarchar(2000) = NULL,
    @precommand nvarchar(2000) = NULL,
    @postcommand nvarchar(2000) = NULL
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @id int = -2147483648, @name nvarchar(600), @text nvarchar(max)
    IF @whereand IS NOT NULL
    BEGIN
        RAISERROR('The parameter @whereand is not supported.', 16, 1)
        RETURN 1
    END
    IF @precommand IS NOT NULL EXEC (@precommand)
    WHILE 1 = 1
    BEGIN
        SELECT @id = MIN(object_id) FROM sys.tables WHERE object_id > @id
        IF @@ERROR <> 0 RETURN 1
        IF @id IS NULL BREAK
        SELECT @name = QUOTENAME(SCHEMA_NAME(schema_id)) + N'.' + QUOTENAME(name) FROM sys.tables WHERE object_id = @id
        IF @@ERROR <> 0 RETURN 1
        SET @text = REPLACE(@command1, @replacechar, @name)
        EXEC (@text)
        IF @command2 IS NOT NULL
        BEGIN
            SET @text = REPLACE(@command2, @replacechar, @name)
            EXEC (@text)
        END
        IF @command3 IS NOT NULL
        BEGIN
            SET @text = REPLACE(@command3, @replacechar, @name)
            EXEC (@text)
        END
    END
    IF @postcommand IS NOT NULL EXEC (@postcommand)
    RETURN 0
END
