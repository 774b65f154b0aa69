-- INSTEAD OF triggers of views.
--@ source: reasoned
CREATE TABLE dbo.person (id int IDENTITY(1, 1) PRIMARY KEY, name varchar(10) NOT NULL)
CREATE TABLE dbo.phone (person int NOT NULL, number varchar(10) NOT NULL)
INSERT dbo.person VALUES ('anna'), ('bert')
INSERT dbo.phone VALUES (1, '11'), (2, '22')
GO
--@ source: documentation CREATE TRIGGER
CREATE VIEW dbo.both_of AS
SELECT p.id, p.name, f.number, UPPER(p.name) AS loud FROM dbo.person AS p JOIN dbo.phone AS f ON f.person = p.id
GO
-- Without a trigger a change of both tables is refused.
--@ source: message 4405
INSERT dbo.both_of (name, number) VALUES ('carl', '33')
GO
--@ source: message 4405
DELETE dbo.both_of WHERE id = 1
GO
--@ source: message 8197
CREATE TRIGGER dbo.after_view ON dbo.both_of AFTER INSERT AS RETURN
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.both_insert ON dbo.both_of INSTEAD OF INSERT AS
SELECT id, name, number, loud FROM inserted
SELECT COUNT(*) AS gone FROM deleted
INSERT dbo.person (name) SELECT name FROM inserted
INSERT dbo.phone SELECT p.id, i.number FROM inserted AS i JOIN dbo.person AS p ON p.name = i.name
GO
--@ source: documentation CREATE TRIGGER
INSERT dbo.both_of (name, number) VALUES ('carl', '33')
SELECT @@ROWCOUNT AS n
INSERT dbo.both_of VALUES (7, 'dora', '44', 'any')
INSERT dbo.both_of (name, number) SELECT 'emil', '55' WHERE 1 = 0
SELECT id, name, number, loud FROM dbo.both_of ORDER BY id
GO
-- A value that no column of the view can take.
--@ source: message 2628
INSERT dbo.both_of (name, number) VALUES ('a name that is too long', '1')
GO
--@ source: message 213
INSERT dbo.both_of VALUES (1)
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.both_update ON dbo.both_of INSTEAD OF UPDATE AS
SET NOCOUNT ON
SELECT d.id, d.name AS was, i.name AS is_now, d.number AS number_was, i.number AS number_is, i.loud FROM deleted AS d JOIN inserted AS i ON i.id = d.id ORDER BY d.id
IF UPDATE(name) UPDATE p SET name = i.name FROM dbo.person AS p JOIN inserted AS i ON i.id = p.id
IF UPDATE(number) UPDATE f SET number = i.number FROM dbo.phone AS f JOIN inserted AS i ON i.id = f.person
SELECT COLUMNS_UPDATED() AS bits
GO
--@ source: documentation CREATE TRIGGER
UPDATE dbo.both_of SET name = 'ANNA', number = number + '0', loud = 'set' WHERE id = 1
SELECT @@ROWCOUNT AS n
UPDATE dbo.both_of SET number = '9' WHERE id = 99
UPDATE TOP (1) dbo.both_of SET number = (SELECT MAX(number) FROM dbo.phone) WHERE name = 'bert'
SELECT id, name, number FROM dbo.both_of ORDER BY id
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.both_delete ON dbo.both_of INSTEAD OF DELETE AS
SELECT COUNT(*) AS going FROM deleted
DELETE dbo.phone WHERE person IN (SELECT id FROM deleted)
DELETE dbo.person WHERE id IN (SELECT id FROM deleted)
GO
--@ source: documentation CREATE TRIGGER
DELETE FROM dbo.both_of WHERE name IN ('ANNA', 'dora')
SELECT @@ROWCOUNT AS n
SELECT id, name, number FROM dbo.both_of ORDER BY id
GO
--@ source: message 4422
UPDATE v SET name = 'x' FROM dbo.both_of AS v
GO
--@ source: message 4423
DELETE v FROM dbo.both_of AS v
GO
--@ source: message 414
UPDATE v SET name = 'x' FROM dbo.both_of AS v JOIN dbo.person AS p ON p.id = v.id
GO
--@ source: message 415
DELETE v FROM dbo.both_of AS v JOIN dbo.person AS p ON p.id = v.id
GO
--@ source: message 334
INSERT dbo.both_of (name, number) OUTPUT inserted.name VALUES ('x', '1')
GO
--@ source: message 334
DELETE dbo.both_of OUTPUT deleted.name
GO
--@ source: message 207
UPDATE dbo.both_of SET nothing = 1
GO
--@ source: message 2111
CREATE TRIGGER dbo.second ON dbo.both_of INSTEAD OF DELETE AS RETURN
GO
--@ source: documentation sys.triggers
SELECT name, OBJECT_NAME(parent_id) AS parent, is_instead_of_trigger, is_disabled FROM sys.triggers WHERE parent_id = OBJECT_ID('dbo.both_of') ORDER BY name
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.both_of'), 'HasInsteadOfTrigger') AS instead
EXEC sp_helptrigger N'dbo.both_of'
GO
-- A disabled trigger replaces nothing.
--@ source: documentation DISABLE TRIGGER
DISABLE TRIGGER dbo.both_delete ON dbo.both_of
GO
--@ source: message 4405
DELETE dbo.both_of WHERE id = 2
GO
--@ source: documentation ENABLE TRIGGER
ENABLE TRIGGER dbo.both_delete ON dbo.both_of
GO
-- An error in the body undoes the statement.
--@ source: documentation CREATE TRIGGER
ALTER TRIGGER dbo.both_delete ON dbo.both_of INSTEAD OF DELETE AS
DELETE dbo.phone
RAISERROR ('no', 16, 1)
ROLLBACK
GO
--@ source: documentation CREATE TRIGGER
DELETE dbo.both_of WHERE id = 2
GO
--@ source: reasoned
SELECT COUNT(*) AS n FROM dbo.phone
GO
-- ALTER VIEW keeps its triggers, DROP VIEW drops them.
--@ source: documentation ALTER VIEW
ALTER VIEW dbo.both_of AS SELECT p.id, p.name, CAST('1' AS varchar(10)) AS number, UPPER(p.name) AS loud FROM dbo.person AS p
GO
--@ source: documentation DROP VIEW
SELECT COUNT(*) AS n FROM sys.triggers WHERE parent_id = OBJECT_ID('dbo.both_of')
DROP VIEW dbo.both_of
SELECT COUNT(*) AS n FROM sys.triggers WHERE name LIKE 'both%'
GO
-- In its own body the change is one of the table beneath; through a procedure it is direct recursion.
--@ source: documentation CREATE TRIGGER
CREATE VIEW dbo.names_of AS SELECT id, name FROM dbo.person
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER dbo.names_update ON dbo.names_of INSTEAD OF UPDATE AS
UPDATE dbo.names_of SET name = i.name + '!' FROM dbo.names_of AS n JOIN inserted AS i ON i.id = n.id
GO
--@ source: documentation CREATE TRIGGER
UPDATE dbo.names_of SET name = 'x' WHERE id = 2
SELECT name FROM dbo.person WHERE id = 2
GO
--@ source: reasoned
CREATE PROCEDURE dbo.names_again AS UPDATE dbo.names_of SET name = 'again'
GO
--@ source: reasoned
ALTER TRIGGER dbo.names_update ON dbo.names_of INSTEAD OF UPDATE AS EXEC dbo.names_again
GO
--@ source: message 570
UPDATE dbo.names_of SET name = 'y' WHERE id = 2
GO
-- CHECK OPTION and INSTEAD OF do not go together.
--@ source: reasoned
CREATE VIEW dbo.checked_of AS SELECT id, name FROM dbo.person WHERE id < 100 WITH CHECK OPTION
GO
--@ source: message 2112
CREATE TRIGGER dbo.checked_insert ON dbo.checked_of INSTEAD OF INSERT AS RETURN
GO
-- OUTPUT INTO has the rows as the trigger gets them; rows of a procedure; values of a sequence.
--@ source: documentation OUTPUT clause
CREATE TRIGGER dbo.names_insert ON dbo.names_of INSTEAD OF INSERT AS SELECT COUNT(*) AS came FROM inserted
GO
--@ source: documentation OUTPUT clause
DECLARE @t TABLE (id int NULL, name varchar(10))
INSERT dbo.names_of (name) OUTPUT inserted.id, inserted.name INTO @t VALUES ('p'), ('q')
SELECT id, name FROM @t ORDER BY name
INSERT dbo.names_of EXEC ('SELECT 5, ''r'' UNION ALL SELECT 6, ''s''')
INSERT dbo.names_of DEFAULT VALUES
GO
-- A column of an outer join's inner side is NULL in `inserted` and `deleted` where the join has found nothing.
--@ source: reasoned
CREATE TABLE dbo.place (id int PRIMARY KEY, name varchar(10) NOT NULL)
CREATE TABLE dbo.street (place int PRIMARY KEY, street varchar(10) NOT NULL)
INSERT dbo.place VALUES (1, 'here'), (2, 'there')
INSERT dbo.street VALUES (1, 'quay')
GO
--@ source: reasoned
CREATE VIEW dbo.place_of AS SELECT p.id, p.name, s.street FROM dbo.place AS p LEFT JOIN dbo.street AS s ON s.place = p.id
GO
--@ source: reasoned
CREATE TRIGGER dbo.place_change ON dbo.place_of INSTEAD OF UPDATE, DELETE AS
SELECT d.id, d.street, i.name, i.street AS now FROM deleted AS d LEFT JOIN inserted AS i ON i.id = d.id ORDER BY d.id
GO
--@ source: reasoned
UPDATE dbo.place_of SET name = 'moved'
UPDATE dbo.place_of SET street = 'row' WHERE street IS NULL
DELETE dbo.place_of
GO
--@ source: reasoned
DROP VIEW dbo.place_of
DROP TABLE dbo.place, dbo.street
GO
--@ source: reasoned
DROP VIEW dbo.names_of, dbo.checked_of
DROP PROCEDURE dbo.names_again
DROP TABLE dbo.person, dbo.phone
GO
