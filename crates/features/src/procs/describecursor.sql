        SELECT reference_name, cursor_name, CONVERT(tinyint, cursor_scope) AS cursor_scope, CONVERT(int, status) AS status,
            CONVERT(tinyint, model) AS model, CONVERT(tinyint, concurrency) AS concurrency,
            CONVERT(tinyint, scrollable) AS scrollable, CONVERT(tinyint, open_status) AS open_status, cursor_rows,
            fetch_status, column_count, row_count, CONVERT(tinyint, last_operation) AS last_operation, cursor_handle
        FROM taffrail.cursor_references
        WHERE cursor_handle = @handle AND reference_name = @cursor_identity
            AND (LOWER(@cursor_source) = 'global' AND cursor_scope = 2
                OR LOWER(@cursor_source) <> 'global' AND cursor_scope = 1 AND nest_level = @level)
