        SELECT table_owner, table_name, optimizer_hint, lock_type, server_name, objectid, dbid, dbname
        FROM taffrail.cursor_tables WHERE cursor_handle = @handle
