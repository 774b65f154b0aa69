-- Values and aggregates that PIVOT does not take.
--@ source: reasoned
CREATE TABLE t (who varchar(10), yr int, qty int)
GO
--@ source: message 102
SELECT * FROM t PIVOT (COUNT(*) FOR yr IN ([2022])) AS p
GO
--@ source: message 473
SELECT * FROM t PIVOT (SUM(qty) FOR yr IN ([x])) AS p
GO
--@ source: message 8156
SELECT * FROM t PIVOT (SUM(qty) FOR yr IN ([2022], [2022])) AS p
GO
--@ source: message 265
SELECT * FROM (SELECT who, yr, qty, 1 AS [2022] FROM t) AS s PIVOT (SUM(qty) FOR yr IN ([2022])) AS p
GO
--@ source: reasoned
DROP TABLE t
GO
