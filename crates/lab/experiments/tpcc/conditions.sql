-- New orders a minute, from the first to the last of the measure; and how many rows break one of the twelve conditions.
SELECT
    (SELECT CONVERT(decimal(18, 1), COUNT(*) * 60000.0 / NULLIF(DATEDIFF(millisecond, MIN(o_entry_d), MAX(o_entry_d)), 0))
        FROM dbo.orders CROSS JOIN dbo.Since WHERE o_entry_d >= measured) AS tpmc,
    -- 1: a warehouse has taken what its districts have.
    (SELECT COUNT(*) FROM dbo.warehouse WHERE w_ytd <> (SELECT SUM(d_ytd) FROM dbo.district WHERE d_w_id = w_id))
    -- 2: the number of the next order is behind that of the last one, and of the last new one.
    + (SELECT COUNT(*) FROM dbo.district
        WHERE d_next_o_id - 1 <> (SELECT MAX(o_id) FROM dbo.orders WHERE o_w_id = d_w_id AND o_d_id = d_id)
            OR d_next_o_id - 1 <> (SELECT MAX(no_o_id) FROM dbo.new_order WHERE no_w_id = d_w_id AND no_d_id = d_id))
    -- 3: the numbers of new orders have no gap.
    + (SELECT COUNT(*) FROM (SELECT no_w_id FROM dbo.new_order GROUP BY no_w_id, no_d_id HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)) broken)
    -- 4: orders say how many lines there are.
    + (SELECT COUNT(*) FROM dbo.district
        WHERE (SELECT SUM(o_ol_cnt) FROM dbo.orders WHERE o_w_id = d_w_id AND o_d_id = d_id)
            <> (SELECT COUNT(*) FROM dbo.order_line WHERE ol_w_id = d_w_id AND ol_d_id = d_id))
    -- 5: an order has no carrier exactly as long as it is new.
    + (SELECT COUNT(*) FROM dbo.orders LEFT JOIN dbo.new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
        WHERE CASE WHEN o_carrier_id IS NULL THEN 1 ELSE 0 END <> CASE WHEN no_o_id IS NULL THEN 0 ELSE 1 END)
    -- 6: each order has its lines.
    + (SELECT COUNT(*) FROM dbo.orders LEFT JOIN (
            SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) AS lines FROM dbo.order_line GROUP BY ol_w_id, ol_d_id, ol_o_id) l
        ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE o_ol_cnt <> COALESCE(lines, 0))
    -- 7: a line is delivered exactly when its order has a carrier.
    + (SELECT COUNT(*) FROM dbo.order_line JOIN dbo.orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
        WHERE CASE WHEN ol_delivery_d IS NULL THEN 1 ELSE 0 END <> CASE WHEN o_carrier_id IS NULL THEN 1 ELSE 0 END)
    -- 8, 9: warehouses and districts have taken what was paid.
    + (SELECT COUNT(*) FROM dbo.warehouse WHERE w_ytd <> (SELECT SUM(h_amount) FROM dbo.history WHERE h_w_id = w_id))
    + (SELECT COUNT(*) FROM dbo.district JOIN (
            SELECT h_w_id, h_d_id, SUM(h_amount) AS paid FROM dbo.history GROUP BY h_w_id, h_d_id) h
        ON h_w_id = d_w_id AND h_d_id = d_id WHERE d_ytd <> paid)
    -- 10, 12: a customer's balance is what was delivered without what was paid, which the customer's own sum says as well.
    + (SELECT COUNT(*) FROM dbo.customer
        LEFT JOIN (SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS delivered
            FROM dbo.orders JOIN dbo.order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
            WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id) l ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
        LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS paid FROM dbo.history GROUP BY h_c_w_id, h_c_d_id, h_c_id) h
            ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id
        WHERE c_balance <> COALESCE(delivered, 0) - COALESCE(paid, 0) OR c_balance + c_ytd_payment <> COALESCE(delivered, 0))
    -- 11: seven tenths of the loaded orders were no longer new, and those that were delivered since.
    + (SELECT COUNT(*) FROM dbo.district
        WHERE (SELECT COUNT(*) FROM dbo.orders WHERE o_w_id = d_w_id AND o_d_id = d_id)
            - (SELECT COUNT(*) FROM dbo.new_order WHERE no_w_id = d_w_id AND no_d_id = d_id)
            - (SELECT COUNT(DISTINCT ol_o_id) FROM dbo.order_line CROSS JOIN dbo.Since WHERE ol_w_id = d_w_id AND ol_d_id = d_id AND ol_delivery_d > loaded)
            <> $(customers) * 7 / 10) AS broken,
    (SELECT COUNT(*) FROM dbo.orders CROSS JOIN dbo.Since WHERE o_entry_d >= measured) AS ordered
