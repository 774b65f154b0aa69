-- Identity values go on an increment beyond the greatest one, wherever that lies.
--@ source: documentation SET IDENTITY_INSERT
CREATE TABLE t (i int IDENTITY(1, 10), a int)
INSERT t (a) VALUES (1), (2)
SET IDENTITY_INSERT t ON
INSERT t (i, a) VALUES (25, 3)
SET IDENTITY_INSERT t OFF
INSERT t (a) VALUES (4), (5)
SELECT i, a FROM t ORDER BY a
SELECT IDENT_SEED('t') AS seed, IDENT_INCR('t') AS increment, IDENT_CURRENT('t') AS current_value
GO
--@ source: documentation SET IDENTITY_INSERT
SET IDENTITY_INSERT t ON
INSERT t (i, a) VALUES (30, 6), (-7, 7)
SET IDENTITY_INSERT t OFF
INSERT t (a) VALUES (8)
SELECT i FROM t WHERE a >= 6 ORDER BY a
GO
--@ source: documentation DBCC CHECKIDENT
DBCC CHECKIDENT ('t', RESEED, 103)
INSERT t (a) VALUES (9)
SELECT i FROM t WHERE a = 9
TRUNCATE TABLE t
INSERT t (a) VALUES (10)
SELECT i FROM t
DROP TABLE t
GO
--@ source: reasoned
CREATE TABLE d (i int IDENTITY(100, -7), a int)
INSERT d (a) VALUES (1), (2)
SET IDENTITY_INSERT d ON
INSERT d (i, a) VALUES (90, 3), (200, 4)
SET IDENTITY_INSERT d OFF
INSERT d (a) VALUES (5)
SELECT i, a FROM d ORDER BY a
DROP TABLE d
GO
--@ source: reasoned
CREATE TABLE #t (i tinyint IDENTITY(250, 3), a int)
INSERT #t (a) VALUES (1), (2)
SELECT i FROM #t ORDER BY i
GO
--@ source: message 8115
INSERT #t (a) VALUES (3)
GO
