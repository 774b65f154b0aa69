CREATE PROCEDURE sys.sp_cursor_list
    @cursor_return CURSOR VARYING OUTPUT,
    @cursor_scope int
AS
BEGIN
    SET NOCOUNT ON
    IF @cursor_scope IS NULL OR @cursor_scope NOT IN (1, 2, 3)
    BEGIN
        RAISERROR (16902, -1, -1, 'sp_cursor_list', '@cursor_scope')
        RETURN 1
    END
    -- The caller's own names, and those of the session.
    DECLARE @level int = @@NESTLEVEL - 1
    SET @cursor_return = CURSOR LOCAL SCROLL FOR
        SELECT reference_name, cursor_name, cursor_scope, status, model, concurrency, scrollable, open_status,
            CONVERT(int, cursor_rows) AS cursor_rows, fetch_status, column_count,
            CONVERT(smallint, row_count) AS row_count, last_operation, cursor_handle
        FROM taffrail.cursor_references
        WHERE cursor_scope & @cursor_scope <> 0 AND (cursor_scope = 2 OR nest_level = @level)
        ORDER BY cursor_handle, reference_name
    OPEN @cursor_return
    RETURN 0
END
