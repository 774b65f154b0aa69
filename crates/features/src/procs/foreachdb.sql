CREATE PROCEDURE sys.sp_MSforeachdb
    @command1 nvarchar(2000),
    @replacechar nchar(1) = N'?',
    @command2 nvarchar(2000) = NULL,
    @command3 nvarchar(2000) = NULL,
    @precommand nvarchar(2000) = NULL,
    @postcommand nvarchar(2000) = NULL
AS
BEGIN
    SET NOCOUNT ON
    DECLARE @id int = 0, @name nvarchar(128), @text nvarchar(max)
    IF @precommand IS NOT NULL EXEC (@precommand)
    WHILE 1 = 1
    BEGIN
        SELECT @id = MIN(database_id) FROM master.sys.databases WHERE database_id > @id AND state = 0
        IF @@ERROR <> 0 RETURN 1
        IF @id IS NULL BREAK
        SET @name = DB_NAME(@id)
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
