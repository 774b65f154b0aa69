        SELECT column_name, ordinal_position, column_characteristics_flags, column_size, data_type_sql, column_precision,
            column_scale, order_position, order_direction, hidden_column, columnid, objectid, dbid, dbname
        FROM taffrail.cursor_columns WHERE cursor_handle = @handle ORDER BY ordinal_position
