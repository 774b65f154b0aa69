-- INSERT takes the rows that another change tells.
--@ source: reasoned
CREATE TABLE dbo.stock (id int PRIMARY KEY, qty int NOT NULL, note varchar(20))
CREATE TABLE dbo.gone (id int, qty int, said varchar(40), n int IDENTITY, at date DEFAULT '2024-01-01')
INSERT dbo.stock VALUES (1, 10, 'a'), (2, 0, 'b'), (3, 5, NULL), (4, 0, 'd')
GO
--@ source: documentation INSERT
INSERT INTO dbo.gone (id, qty, said) SELECT d.id, d.qty, 'deleted ' + d.note FROM (DELETE dbo.stock OUTPUT deleted.id, deleted.qty, deleted.note WHERE qty = 0) AS d WHERE d.id > 2
SELECT @@ROWCOUNT AS n
SELECT id, qty, said, n, at FROM dbo.gone ORDER BY n
SELECT id FROM dbo.stock ORDER BY id
GO
--@ source: documentation MERGE
INSERT INTO dbo.gone (id, qty, said)
SELECT id, qty, Action FROM (MERGE dbo.stock AS t USING (VALUES (1, 3), (9, 7)) AS s (id, qty) ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET qty = t.qty - s.qty
    WHEN NOT MATCHED THEN INSERT (id, qty) VALUES (s.id, s.qty)
    WHEN NOT MATCHED BY SOURCE THEN DELETE
    OUTPUT $action, COALESCE(inserted.id, deleted.id), inserted.qty) AS c (Action, id, qty)
WHERE Action IN ('UPDATE', 'INSERT')
SELECT @@ROWCOUNT AS n
SELECT id, qty, said, n FROM dbo.gone WHERE n > 1 ORDER BY id
SELECT id, qty FROM dbo.stock ORDER BY id
GO
--@ source: reasoned
DECLARE @t TABLE (id int, before int, after int)
INSERT @t SELECT * FROM (UPDATE dbo.stock SET qty = qty * 2 OUTPUT inserted.id, deleted.qty AS before, inserted.qty AS after) AS u
SELECT @@ROWCOUNT AS n
SELECT id, before, after FROM @t ORDER BY id
INSERT @t (id, after) SELECT x.id * 100, x.qty FROM (INSERT dbo.stock (id, qty) OUTPUT inserted.id, inserted.qty VALUES (20, 1), (21, 2)) AS x
SELECT id, before, after FROM @t ORDER BY id
GO
--@ source: reasoned
CREATE TABLE #kept (id tinyint)
BEGIN TRY
    INSERT #kept SELECT id * 100 FROM (DELETE dbo.stock OUTPUT deleted.id) AS d
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number
END CATCH
SELECT COUNT(*) AS stock, (SELECT COUNT(*) FROM #kept) AS kept FROM dbo.stock
BEGIN TRANSACTION
INSERT #kept SELECT d.id FROM (DELETE s OUTPUT deleted.id, v.w FROM dbo.stock AS s JOIN (VALUES (1, 'x'), (9, 'y')) AS v (id, w) ON v.id = s.id) AS d WHERE d.w = 'y'
SELECT COUNT(*) AS stock, (SELECT MAX(id) FROM #kept) AS kept FROM dbo.stock
ROLLBACK
SELECT COUNT(*) AS stock, (SELECT COUNT(*) FROM #kept) AS kept FROM dbo.stock
DROP TABLE #kept
EXEC sp_describe_first_result_set N'INSERT dbo.gone (id) SELECT id FROM (DELETE dbo.stock OUTPUT deleted.id) AS d'
GO
--@ source: reasoned
CREATE PROCEDURE dbo.move @least int AS
INSERT dbo.gone (id, qty) SELECT id, qty FROM (DELETE dbo.stock OUTPUT deleted.id, deleted.qty WHERE id >= @least) AS d
RETURN @@ROWCOUNT
GO
--@ source: reasoned
DECLARE @n int
EXEC @n = dbo.move 20
SELECT @n AS n, (SELECT COUNT(*) FROM dbo.stock) AS stock
DROP PROCEDURE dbo.move
GO
--@ source: message 10716
INSERT dbo.gone (id) SELECT id FROM (DELETE dbo.stock) AS d
GO
--@ source: message 10720
INSERT dbo.gone (id) SELECT id FROM (DELETE dbo.stock OUTPUT deleted.id INTO dbo.gone (id)) AS d
GO
--@ source: message 10722
INSERT dbo.gone (id) SELECT DISTINCT id FROM (DELETE dbo.stock OUTPUT deleted.id) AS d
GO
--@ source: message 10717
INSERT dbo.gone (id) SELECT id FROM (DELETE dbo.stock OUTPUT deleted.id) AS d GROUP BY id
GO
--@ source: message 5322
INSERT dbo.gone (id) SELECT MAX(id) FROM (DELETE dbo.stock OUTPUT deleted.id) AS d
GO
--@ source: message 5323
INSERT dbo.gone (id) SELECT id FROM (DELETE dbo.stock OUTPUT deleted.id) AS d WHERE EXISTS (SELECT 1)
GO
--@ source: message 5329
INSERT dbo.gone (id) SELECT ROW_NUMBER() OVER (ORDER BY id) FROM (DELETE dbo.stock OUTPUT deleted.id) AS d
GO
--@ source: message 10727
INSERT dbo.gone (id) SELECT d.id FROM (DELETE dbo.stock OUTPUT deleted.id) AS d JOIN dbo.stock AS s ON s.id = d.id
GO
--@ source: message 10729
SELECT id FROM (DELETE dbo.stock OUTPUT deleted.id) AS d
GO
--@ source: message 207
INSERT dbo.gone (id) SELECT nothing FROM (DELETE dbo.stock OUTPUT deleted.id) AS d
GO
--@ source: message 213
INSERT dbo.gone SELECT id FROM (DELETE dbo.stock OUTPUT deleted.id) AS d
GO
--@ source: message 8155
INSERT dbo.gone (id) SELECT d.id FROM (DELETE dbo.stock OUTPUT deleted.id + 1) AS d
GO
--@ source: reasoned
CREATE VIEW dbo.shown AS SELECT id, qty FROM dbo.gone
GO
--@ source: message 354
INSERT dbo.shown (id) SELECT id FROM (DELETE dbo.stock OUTPUT deleted.id) AS d
GO
--@ source: message 356
CREATE TABLE dbo.child (id int CONSTRAINT to_stock REFERENCES dbo.stock)
INSERT dbo.child (id) SELECT id FROM (UPDATE dbo.stock SET qty = 1 OUTPUT inserted.id) AS d
GO
--@ source: reasoned
DROP TABLE dbo.child
DROP VIEW dbo.shown
SELECT COUNT(*) AS stock FROM dbo.stock
DROP TABLE dbo.stock, dbo.gone
GO
