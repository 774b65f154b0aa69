-- Sequences: options, values, where NEXT VALUE FOR may stand, metadata.
--@ source: reasoned
CREATE DATABASE Sequences
GO
--@ source: reasoned
USE Sequences
CREATE TABLE dbo.t (id int PRIMARY KEY, a int)
INSERT dbo.t VALUES (1, 30), (2, 20), (3, 10)
GO
-- Defaults: bigint, from the least value on.
--@ source: documentation CREATE SEQUENCE
CREATE SEQUENCE dbo.plain
SELECT NEXT VALUE FOR dbo.plain AS v
CREATE SEQUENCE dbo.down AS tinyint INCREMENT BY -1
SELECT NEXT VALUE FOR dbo.down AS v
GO
-- Cycle: to the least value, not to the start.
--@ source: documentation CREATE SEQUENCE
CREATE SEQUENCE dbo.round AS int START WITH 5 MINVALUE 1 MAXVALUE 6 CYCLE
SELECT NEXT VALUE FOR dbo.round AS v
SELECT NEXT VALUE FOR dbo.round AS v
SELECT NEXT VALUE FOR dbo.round AS v
GO
-- One value a row, however often it is mentioned.
--@ source: documentation NEXT VALUE FOR
CREATE SEQUENCE dbo.s AS int START WITH 1
SELECT NEXT VALUE FOR dbo.s AS a, NEXT VALUE FOR dbo.s + 10 AS b, id FROM dbo.t
SELECT NEXT VALUE FOR dbo.s OVER (ORDER BY a) AS n, id FROM dbo.t ORDER BY id
SELECT NEXT VALUE FOR dbo.s OVER (ORDER BY a DESC) AS n, a FROM dbo.t ORDER BY a
GO
--@ source: documentation NEXT VALUE FOR
CREATE TABLE dbo.d (id int DEFAULT (NEXT VALUE FOR dbo.s), v int, w int)
INSERT dbo.d (v, w) VALUES (NEXT VALUE FOR dbo.s, NEXT VALUE FOR dbo.s)
INSERT dbo.d DEFAULT VALUES
INSERT dbo.d (v) VALUES (1), (2)
INSERT dbo.d (v, w) SELECT NEXT VALUE FOR dbo.s, id FROM dbo.t
INSERT dbo.d (w) SELECT NEXT VALUE FOR dbo.s OVER (ORDER BY a) FROM dbo.t WHERE id > 1
SELECT id, v, w FROM dbo.d ORDER BY id
UPDATE dbo.d SET v = NEXT VALUE FOR dbo.s, w = NEXT VALUE FOR dbo.s WHERE id < 12
SELECT CASE WHEN v = w THEN 1 END AS same, COUNT(DISTINCT v) AS n FROM dbo.d WHERE id < 12 GROUP BY CASE WHEN v = w THEN 1 END
GO
--@ source: documentation NEXT VALUE FOR
DECLARE @a int = NEXT VALUE FOR dbo.round, @b int
SET @b = NEXT VALUE FOR dbo.round
SELECT @a AS a, @b AS b
SELECT @a = NEXT VALUE FOR dbo.round FROM dbo.t
SELECT @a AS a
IF NEXT VALUE FOR dbo.round > 100 SELECT 1 ELSE SELECT 0 AS no
GO
--@ source: documentation MERGE
CREATE TABLE dbo.m (k int DEFAULT (NEXT VALUE FOR dbo.round), id int)
MERGE dbo.m USING dbo.t ON m.id = t.id WHEN NOT MATCHED THEN INSERT (id) VALUES (t.id);
SELECT COUNT(DISTINCT k) AS n FROM dbo.m
GO
-- A default means the sequence of its own database, whoever inserts.
--@ source: documentation NEXT VALUE FOR
CREATE TABLE dbo.here (id int DEFAULT (NEXT VALUE FOR dbo.round))
USE master
INSERT Sequences.dbo.here DEFAULT VALUES
SELECT COUNT(id) AS n FROM Sequences.dbo.here
SELECT NEXT VALUE FOR Sequences.dbo.s - NEXT VALUE FOR Sequences.dbo.s AS zero
USE Sequences
GO
-- The end, and RESTART.
--@ source: message 11728
CREATE SEQUENCE dbo.three AS smallint MINVALUE 1 MAXVALUE 3
SELECT NEXT VALUE FOR dbo.three AS v FROM dbo.t
SELECT is_exhausted FROM sys.sequences WHERE name = 'three'
SELECT NEXT VALUE FOR dbo.three AS v
GO
--@ source: documentation ALTER SEQUENCE
ALTER SEQUENCE dbo.three RESTART
SELECT NEXT VALUE FOR dbo.three AS v
ALTER SEQUENCE dbo.three RESTART WITH 3
SELECT NEXT VALUE FOR dbo.three AS v
ALTER SEQUENCE dbo.three MAXVALUE 30 INCREMENT BY 5 CYCLE NO CACHE
SELECT NEXT VALUE FOR dbo.three AS v
ALTER SEQUENCE dbo.three RESTART
SELECT NEXT VALUE FOR dbo.three AS v
GO
-- A rollback gives no value back, and undoes an ALTER.
--@ source: documentation CREATE SEQUENCE
BEGIN TRANSACTION
SELECT NEXT VALUE FOR dbo.three AS v
ROLLBACK
SELECT NEXT VALUE FOR dbo.three AS v
BEGIN TRANSACTION
ALTER SEQUENCE dbo.three RESTART WITH 25
SELECT NEXT VALUE FOR dbo.three AS v
ROLLBACK
SELECT NEXT VALUE FOR dbo.three AS v
GO
--@ source: message 11729
CREATE SEQUENCE dbo.cached AS int MINVALUE 1 MAXVALUE 3 CACHE 10
SELECT NEXT VALUE FOR dbo.cached AS v
SELECT NEXT VALUE FOR dbo.cached AS v
GO
--@ source: documentation CREATE SEQUENCE
CREATE SEQUENCE dbo.large AS decimal(38, 0) START WITH 99999999999999999999999999999999999998
SELECT NEXT VALUE FOR dbo.large AS v
SELECT NEXT VALUE FOR dbo.large AS v
SELECT NEXT VALUE FOR dbo.large AS v
GO
-- Options.
--@ source: message 11700
CREATE SEQUENCE dbo.x INCREMENT BY 0
GO
--@ source: message 11701
CREATE SEQUENCE dbo.x MINVALUE 1 MAXVALUE 5 INCREMENT BY 5
GO
--@ source: message 11702
CREATE SEQUENCE dbo.x AS varchar(10)
GO
--@ source: message 11702
CREATE SEQUENCE dbo.x AS decimal(10, 2)
GO
--@ source: message 11703
CREATE SEQUENCE dbo.x START WITH 9 MAXVALUE 5
GO
--@ source: message 11704
ALTER SEQUENCE dbo.s MAXVALUE 4
GO
--@ source: message 11705
CREATE SEQUENCE dbo.x MINVALUE 5 MAXVALUE 5
GO
--@ source: message 11706
CREATE SEQUENCE dbo.x CACHE 0
GO
--@ source: message 11707
CREATE SEQUENCE dbo.x CACHE 1
GO
--@ source: message 11708
CREATE SEQUENCE dbo.y AS tinyint START WITH 300
GO
--@ source: message 11709
CREATE SEQUENCE dbo.y RESTART WITH 3
GO
--@ source: message 11710
ALTER SEQUENCE dbo.x START WITH 3
GO
--@ source: message 11711
ALTER SEQUENCE dbo.x AS int RESTART
GO
--@ source: message 11712
CREATE SEQUENCE dbo.y MINVALUE 1 NO MINVALUE
GO
--@ source: message 11714
CREATE SEQUENCE #y
GO
--@ source: message 11715
ALTER SEQUENCE dbo.x
GO
--@ source: message 15151
ALTER SEQUENCE dbo.nobody RESTART
GO
--@ source: message 2714
CREATE SEQUENCE dbo.t
GO
-- Places, of several reasons the first.
--@ source: message 11719
SELECT (SELECT NEXT VALUE FOR dbo.s) AS v
GO
--@ source: message 11719
SELECT v FROM (SELECT NEXT VALUE FOR dbo.s AS v) AS d
GO
--@ source: message 11719
WITH c AS (SELECT NEXT VALUE FOR dbo.s AS v) SELECT v FROM c
GO
--@ source: message 11719
CREATE VIEW dbo.v AS SELECT NEXT VALUE FOR dbo.s AS v
GO
--@ source: message 11719
ALTER TABLE dbo.t ADD CHECK (id > NEXT VALUE FOR dbo.s)
GO
--@ source: message 11720
SELECT id FROM dbo.t WHERE id = NEXT VALUE FOR dbo.s
GO
--@ source: message 11720
SELECT id FROM dbo.t ORDER BY NEXT VALUE FOR dbo.s OVER (ORDER BY id)
GO
--@ source: message 11720
INSERT dbo.d (v) OUTPUT NEXT VALUE FOR dbo.s VALUES (1)
GO
--@ source: message 11721
SELECT DISTINCT NEXT VALUE FOR dbo.s FROM dbo.t
GO
--@ source: message 11721
SELECT NEXT VALUE FOR dbo.s UNION ALL SELECT 1
GO
--@ source: message 11723
SELECT NEXT VALUE FOR dbo.s FROM dbo.t ORDER BY id
GO
--@ source: message 11725
SELECT MAX(NEXT VALUE FOR dbo.s) FROM dbo.t
GO
--@ source: message 11739
SELECT TOP (1) NEXT VALUE FOR dbo.s FROM dbo.t
GO
--@ source: message 11741
SELECT CASE WHEN 1 = 1 THEN NEXT VALUE FOR dbo.s END AS v
GO
--@ source: message 11741
SELECT ISNULL(NEXT VALUE FOR dbo.s, 1) AS v
GO
--@ source: message 11742
MERGE dbo.m USING dbo.t ON m.id = t.id WHEN MATCHED THEN UPDATE SET k = NEXT VALUE FOR dbo.s;
GO
--@ source: message 11716
SELECT NEXT VALUE FOR dbo.s OVER (PARTITION BY a ORDER BY id) FROM dbo.t
GO
--@ source: message 11718
SELECT NEXT VALUE FOR dbo.s OVER () FROM dbo.t
GO
--@ source: message 11717
UPDATE dbo.d SET v = NEXT VALUE FOR dbo.s OVER (ORDER BY id)
GO
--@ source: message 11726
SELECT NEXT VALUE FOR dbo.t
GO
--@ source: message 208
SELECT NEXT VALUE FOR dbo.nobody
GO
--@ source: message 11727
SELECT NEXT VALUE FOR dbo.s OVER (ORDER BY id), NEXT VALUE FOR dbo.s FROM dbo.t
GO
--@ source: message 11731
INSERT dbo.d (v) VALUES (NEXT VALUE FOR dbo.s), (NEXT VALUE FOR dbo.s)
GO
--@ source: message 11736
DECLARE @a int, @b int
SELECT @a = NEXT VALUE FOR dbo.s, @b = NEXT VALUE FOR dbo.s
GO
--@ source: message 11738
PRINT NEXT VALUE FOR dbo.s
GO
--@ source: message 11719
CREATE PROCEDURE dbo.returns AS RETURN NEXT VALUE FOR dbo.s
GO
--@ source: message 11719
CREATE FUNCTION dbo.draws () RETURNS int AS BEGIN DECLARE @v int = NEXT VALUE FOR dbo.s RETURN @v END
GO
--@ source: message 11740
INSERT dbo.d (v) SELECT TOP (1) id FROM dbo.t
GO
--@ source: message 11730
CREATE TABLE dbo.e (id int DEFAULT (NEXT VALUE FOR Sequences.dbo.s))
GO
--@ source: message 11739
SET ROWCOUNT 1
SELECT NEXT VALUE FOR dbo.s AS v
SET ROWCOUNT 0
GO
-- Ranges.
--@ source: documentation sp_sequence_get_range
CREATE SEQUENCE dbo.ranged AS int START WITH 1 MINVALUE 1 MAXVALUE 10 CYCLE CACHE 4
DECLARE @first sql_variant, @last sql_variant, @cycles int, @step sql_variant, @min sql_variant, @max sql_variant
EXEC sys.sp_sequence_get_range @sequence_name = N'dbo.ranged', @range_size = 4, @range_first_value = @first OUTPUT,
    @range_last_value = @last OUTPUT, @range_cycle_count = @cycles OUTPUT, @sequence_increment = @step OUTPUT,
    @sequence_min_value = @min OUTPUT, @sequence_max_value = @max OUTPUT
SELECT @first AS first, @last AS last, @cycles AS cycles, @step AS step, @min AS min, @max AS max,
    SQL_VARIANT_PROPERTY(@first, 'BaseType') AS type
EXEC sp_sequence_get_range N'dbo.ranged', 18, @first OUTPUT, @last OUTPUT, @cycles OUTPUT
SELECT @first AS first, @last AS last, @cycles AS cycles
SELECT NEXT VALUE FOR dbo.ranged AS v
GO
--@ source: message 11732
DECLARE @first sql_variant
EXEC sp_sequence_get_range N'dbo.cached', 5, @first OUTPUT
GO
--@ source: message 11733
DECLARE @first sql_variant
EXEC sp_sequence_get_range N'dbo.cached', 0, @first OUTPUT
GO
-- Metadata.
--@ source: documentation sys.sequences
CREATE SEQUENCE dbo.shown AS int START WITH 10 INCREMENT BY 5
SELECT current_value, last_used_value FROM sys.sequences WHERE name = 'shown'
SELECT NEXT VALUE FOR dbo.shown AS v
SELECT current_value, last_used_value FROM sys.sequences WHERE name = 'shown'
ALTER SEQUENCE dbo.shown RESTART WITH 100
SELECT start_value, current_value, last_used_value FROM sys.sequences WHERE name = 'shown'
SELECT name, type, type_desc, start_value, increment, minimum_value, maximum_value, is_cycling, is_cached, cache_size, system_type_id,
    precision, scale FROM sys.sequences WHERE name IN ('shown', 'ranged', 'three', 'down') ORDER BY name
SELECT SEQUENCE_SCHEMA, SEQUENCE_NAME, DATA_TYPE, NUMERIC_PRECISION, NUMERIC_SCALE, START_VALUE, MINIMUM_VALUE, MAXIMUM_VALUE, INCREMENT,
    CYCLE_OPTION FROM INFORMATION_SCHEMA.SEQUENCES WHERE SEQUENCE_NAME = 'ranged'
SELECT definition FROM sys.default_constraints WHERE parent_object_id = OBJECT_ID('dbo.d')
GO
-- DROP.
--@ source: documentation DROP SEQUENCE
DROP SEQUENCE dbo.x, dbo.shown
DROP SEQUENCE IF EXISTS dbo.x
GO
--@ source: message 3701
DROP SEQUENCE dbo.x
GO
--@ source: message 3705
DROP SEQUENCE dbo.t
GO
--@ source: reasoned
CREATE TABLE dbo.named (id int CONSTRAINT by_round DEFAULT (NEXT VALUE FOR dbo.plain))
GO
--@ source: message 3729
DROP SEQUENCE dbo.plain
GO
--@ source: message 15336
EXEC sp_rename 'dbo.plain', 'other'
GO
--@ source: reasoned
ALTER TABLE dbo.named DROP CONSTRAINT by_round
DROP SEQUENCE dbo.plain
GO
--@ source: reasoned
USE master
DROP DATABASE Sequences
