-- OUTPUT sends the rows that were changed before an error; they are undone with the statement.
--@ source: reasoned
CREATE TABLE oe (id int NOT NULL CONSTRAINT pk_oe PRIMARY KEY, v int NOT NULL CONSTRAINT ck_oe CHECK (v < 100))
CREATE TABLE oc (id int NOT NULL CONSTRAINT fk_oc REFERENCES oe (id))
INSERT oe VALUES (3, 30), (4, 40)
INSERT oc VALUES (4)
GO
--@ source: documentation t-sql/queries/output-clause-transact-sql
INSERT oe OUTPUT inserted.id, inserted.v VALUES (1, 10), (2, 20), (3, 0), (5, 50)
SELECT @@ROWCOUNT AS n, @@ERROR AS e
SELECT id FROM oe ORDER BY id
GO
--@ source: documentation t-sql/queries/output-clause-transact-sql
INSERT oe OUTPUT inserted.id SELECT id, v FROM (VALUES (1, 10), (2, 200)) AS s (id, v)
GO
--@ source: documentation t-sql/queries/output-clause-transact-sql
UPDATE oe SET v = v + 65 OUTPUT inserted.id, deleted.v AS was, inserted.v AS now
GO
--@ source: documentation t-sql/queries/output-clause-transact-sql
DELETE oe OUTPUT deleted.id
SELECT id, v FROM oe ORDER BY id
GO
--@ source: documentation t-sql/queries/output-clause-transact-sql
MERGE oe USING (VALUES (3, 31), (6, 60), (7, 700)) AS s (id, v) ON s.id = oe.id
WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v) OUTPUT $action AS a, inserted.id;
GO
-- Within TRY, and into a table, which keeps nothing.
--@ source: documentation t-sql/queries/output-clause-transact-sql
DECLARE @o TABLE (id int)
BEGIN TRY
    INSERT oe OUTPUT inserted.id VALUES (1, 10), (3, 30)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number
END CATCH
INSERT oe OUTPUT inserted.id INTO @o VALUES (1, 10), (3, 30)
SELECT (SELECT COUNT(*) FROM @o) AS kept, (SELECT COUNT(*) FROM oe) AS rows
GO
--@ source: message 2627
INSERT oe OUTPUT inserted.id VALUES (3, 30)
GO
-- A foreign key is looked at when all rows are changed: nothing is sent ahead of its error.
--@ source: message 547
INSERT oc OUTPUT inserted.id VALUES (99)
GO
--@ source: reasoned
DROP TABLE oc, oe
GO
