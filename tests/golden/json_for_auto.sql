-- FOR JSON AUTO: a level for each table that gives a column.
--@ source: documentation relational-databases/json/format-json-output-automatically-with-auto-mode-sql-server
CREATE TABLE ja_h (id int NOT NULL PRIMARY KEY, name nvarchar(10) NULL)
CREATE TABLE ja_d (h int NOT NULL, n int NOT NULL, v nvarchar(10) NULL, PRIMARY KEY (h, n))
INSERT ja_h VALUES (1, N'a'), (2, N'b'), (3, NULL)
INSERT ja_d VALUES (1, 1, N'x'), (1, 2, NULL), (2, 1, N'y')
SELECT id, name AS 'Info.Name' FROM ja_h ORDER BY id FOR JSON AUTO
SELECT H.id, H.name, D.n, D.v FROM ja_h H JOIN ja_d AS D ON D.h = H.id ORDER BY H.id, D.n FOR JSON AUTO
SELECT @@ROWCOUNT AS n
SELECT D.n, H.id FROM ja_h H JOIN ja_d AS D ON D.h = H.id ORDER BY H.id, D.n FOR JSON AUTO, ROOT
SELECT ja_h.id, ja_d.n FROM ja_h LEFT JOIN ja_d ON ja_d.h = ja_h.id ORDER BY ja_h.id, ja_d.n FOR JSON AUTO
SELECT ja_h.id, ja_d.n, ja_d.v FROM ja_h LEFT JOIN ja_d ON ja_d.h = ja_h.id ORDER BY ja_h.id, ja_d.n FOR JSON AUTO, INCLUDE_NULL_VALUES
SELECT H.name, D.n FROM ja_h H LEFT JOIN ja_d AS D ON D.h = H.id WHERE H.id > 1 ORDER BY H.id, D.n FOR JSON AUTO, WITHOUT_ARRAY_WRAPPER
GO
--@ source: reasoned
-- What is computed goes with the column before it; without one it goes with the first table.
SELECT 1 AS one, H.id, H.id * 10 AS ten, D.n, D.n * 10 AS nn FROM ja_h H JOIN ja_d D ON D.h = H.id ORDER BY H.id, D.n FOR JSON AUTO
SELECT COUNT(*) AS c FROM ja_h FOR JSON AUTO
SELECT H.name, COUNT(*) AS c FROM ja_h H JOIN ja_d D ON D.h = H.id GROUP BY H.name ORDER BY H.name FOR JSON AUTO
SELECT t.id, u.v FROM (SELECT id FROM ja_h WHERE id < 3) AS t CROSS APPLY (SELECT v FROM ja_d WHERE h = t.id) AS u ORDER BY t.id, u.v FOR JSON AUTO
SELECT dbo.ja_h.id, d.n FROM ja_d d JOIN dbo.ja_h ON d.h = id WHERE id = 2 FOR JSON AUTO
SELECT d.n, dbo.ja_h.id FROM ja_d d JOIN dbo.ja_h ON d.h = id WHERE id = 2 FOR JSON AUTO
SELECT id FROM ja_h WHERE id = 1 UNION ALL SELECT n FROM ja_d WHERE h = 2 FOR JSON AUTO
SELECT a.id, b.id AS bid, c.id AS cid FROM ja_h a JOIN ja_h b ON b.id <= a.id JOIN ja_h c ON c.id <= b.id ORDER BY a.id, b.id, c.id FOR JSON AUTO
GO
--@ source: reasoned
SELECT H.id, (SELECT D.n FROM ja_d D WHERE D.h = H.id ORDER BY D.n FOR JSON AUTO) AS d FROM ja_h H ORDER BY H.id FOR JSON AUTO
DECLARE @j nvarchar(max) = (SELECT H.id, D.n FROM ja_h H JOIN ja_d D ON D.h = H.id ORDER BY H.id, D.n FOR JSON AUTO, ROOT('r'))
SELECT @j AS j
SELECT (SELECT id FROM ja_h WHERE 1 = 0 FOR JSON AUTO) AS none
GO
--@ source: reasoned
DROP TABLE ja_h, ja_d
GO
