    SET NOCOUNT ON
    IF @cursor_source IS NULL OR LOWER(@cursor_source) NOT IN ('local', 'global', 'variable')
    BEGIN
        RAISERROR (16902, -1, -1, @procedure, '@cursor_source')
        RETURN 1
    END
    DECLARE @level int = @@NESTLEVEL - 1, @handle int
    SELECT @handle = cursor_handle FROM taffrail.cursor_references
    WHERE reference_name = @cursor_identity
        AND (LOWER(@cursor_source) = 'global' AND cursor_scope = 2
            OR LOWER(@cursor_source) <> 'global' AND cursor_scope = 1 AND nest_level = @level)
        AND CASE WHEN LEFT(reference_name, 1) = '@' THEN 1 ELSE 0 END = CASE LOWER(@cursor_source) WHEN 'variable' THEN 1 ELSE 0 END
    IF @handle IS NULL
    BEGIN
        RAISERROR (16916, -1, -1, 128, @cursor_identity)
        RETURN 1
    END
    SET @cursor_return = CURSOR LOCAL SCROLL FOR
