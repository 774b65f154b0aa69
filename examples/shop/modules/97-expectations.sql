-- For scripts that expect something: each raises an error where it is not so.
USE Shop;
GO
CREATE PROCEDURE test.Same
    @Name     nvarchar(200),
    @Actual   sql_variant,
    @Expected sql_variant
AS
BEGIN
    SET NOCOUNT ON;
    IF @Actual = @Expected OR (@Actual IS NULL AND @Expected IS NULL)
        RETURN;
    DECLARE @Message nvarchar(2000) =
        CONCAT(@Name, N': ', COALESCE(CONVERT(nvarchar(800), @Actual), N'NULL'), N', not ', COALESCE(CONVERT(nvarchar(800), @Expected), N'NULL'));
    THROW 51901, @Message, 1;
END;
GO
-- Runs a text that must fail with a number, and takes back whatever it did before.
CREATE PROCEDURE test.Refused
    @Sql         nvarchar(max),
    @ErrorNumber int,
    @AsUser      sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @Came int = 0, @Text nvarchar(2048) = N'nothing';
    BEGIN TRANSACTION;
    BEGIN TRY
        IF @AsUser IS NOT NULL
            EXECUTE AS USER = @AsUser;
        EXEC (@Sql);
    END TRY
    BEGIN CATCH
        SELECT @Came = ERROR_NUMBER(), @Text = ERROR_MESSAGE();
    END CATCH;
    IF @AsUser IS NOT NULL
        REVERT;
    IF @@TRANCOUNT > 0
        ROLLBACK;
    IF @Came = @ErrorNumber
        RETURN;
    DECLARE @Message nvarchar(2048) = LEFT(CONCAT(@Sql, N' came to ', @Came, N' (', @Text, N'), not to ', @ErrorNumber), 2000);
    THROW 51902, @Message, 1;
END;
GO
