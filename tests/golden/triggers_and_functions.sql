-- Triggers of a statement beside functions, procedures and names that it calls.
--@ source: reasoned
CREATE DATABASE Beside
GO
--@ source: documentation CREATE TRIGGER
USE Beside
CREATE TABLE p (id int PRIMARY KEY)
CREATE TABLE c1 (pid int REFERENCES p ON UPDATE CASCADE)
CREATE TABLE told (what varchar(40))
GO
--@ source: documentation CREATE FUNCTION
CREATE FUNCTION dbo.f (@n int) RETURNS int AS BEGIN DECLARE @c int SELECT @c = COUNT(*) FROM dbo.p RETURN 1 END
GO
--@ source: documentation CREATE TRIGGER
CREATE TABLE c2 (pid int CHECK (dbo.f(pid) = 1) REFERENCES p ON UPDATE CASCADE)
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER of_c1 ON c1 AFTER UPDATE AS INSERT told SELECT CONCAT('c1 ', (SELECT COUNT(*) FROM inserted), ', ', (SELECT MAX(pid) FROM c2)) PRINT 'fired'
GO
-- The trigger of one child is fired when the other child has changed, too, and its messages reach the client.
--@ source: documentation CREATE TRIGGER
INSERT p VALUES (1)
INSERT c1 VALUES (1)
INSERT c2 VALUES (1)
UPDATE p SET id = 2
SELECT what FROM told
GO
-- INSERT … EXEC of a procedure without a result fires once.
--@ source: documentation CREATE TRIGGER
CREATE PROCEDURE nothing AS RETURN
GO
--@ source: documentation CREATE TRIGGER
CREATE TRIGGER of_told ON told AFTER INSERT AS DECLARE @n int = (SELECT COUNT(*) FROM inserted) PRINT CONCAT('rows ', @n)
GO
--@ source: documentation CREATE TRIGGER
INSERT told EXEC nothing
GO
-- One value a row, also where the rows are kept before they are put in.
--@ source: documentation NEXT VALUE FOR
CREATE SEQUENCE s
CREATE TABLE t (k bigint, m int)
INSERT t (k, m) VALUES (NEXT VALUE FOR s, (SELECT MAX(m) FROM t)), (NEXT VALUE FOR s, 0)
SELECT COUNT(DISTINCT k) AS different FROM t
GO
-- A synonym of another database that stands for itself, and one whose base has the name of a synonym here.
--@ source: message 470
CREATE SYNONYM dbo.itself FOR dbo.itself
GO
--@ source: documentation CREATE PROCEDURE
CREATE PROCEDURE called AS PRINT 'called'
GO
--@ source: documentation CREATE SYNONYM
CREATE SYNONYM dbo.calls FOR dbo.called
GO
--@ source: message 470
USE tempdb
EXEC Beside.dbo.itself
GO
--@ source: documentation CREATE SYNONYM
CREATE SYNONYM dbo.called FOR dbo.nothing_here
EXEC Beside.dbo.calls
DROP SYNONYM dbo.called
GO
--@ source: reasoned
USE master
DROP DATABASE Beside
GO
