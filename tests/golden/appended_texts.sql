-- Texts that grow: SET @s += and its relatives append where the text is.
--@ source: reasoned
DECLARE @s varchar(max) = REPLICATE('a', 200), @i int = 0
WHILE @i < 1000 BEGIN SET @s += CAST(@i AS varchar(10)) + ',' SET @i += 1 END
SELECT LEN(@s) AS length, RIGHT(@s, 12) AS tail, CHECKSUM(@s) AS sum_of_all, DATALENGTH(@s) AS bytes
GO
-- What is appended may name the variable: as it was.
--@ source: reasoned
DECLARE @s varchar(max) = REPLICATE('ab', 100)
SET @s += @s
SELECT LEN(@s) AS length, RIGHT(@s, 4) AS tail
SET @s = @s + 'x' + @s
SELECT LEN(@s) AS length, SUBSTRING(@s, 400, 3) AS middle
SET @s = 'y' + @s
SELECT LEN(@s) AS length, LEFT(@s, 3) AS head
SET @s = @s
SELECT LEN(@s) AS length
GO
-- NULL makes NULL of it, but for CONCAT_NULL_YIELDS_NULL OFF.
--@ source: reasoned
DECLARE @s varchar(max) = REPLICATE('a', 200), @n varchar(10)
SET @s = @s + 'b' + @n + 'c'
SELECT @s AS nothing
SET @s = REPLICATE('a', 200)
SET CONCAT_NULL_YIELDS_NULL OFF
SET @s = @s + 'b' + @n + 'c'
SET CONCAT_NULL_YIELDS_NULL ON
SELECT LEN(@s) AS length, RIGHT(@s, 3) AS tail
GO
-- A variable of limited length is cut; text of two bytes a character and binary grow as well.
--@ source: reasoned
DECLARE @c varchar(300) = REPLICATE('a', 290), @n nvarchar(max) = REPLICATE(N'ü', 100), @b varbinary(max) = 0x01
SET @c += 'bcdefghijklmnop'
SET @n += N'日本'
SET @n += 'plain'
SET @b = CAST(REPLICATE('z', 100) AS varbinary(max))
SET @b += 0xFFFE
SELECT LEN(@c) AS c_length, RIGHT(@c, 3) AS c_tail, LEN(@n) AS n_length, RIGHT(@n, 8) AS n_tail, DATALENGTH(@b) AS b_length, RIGHT(@b, 2) AS b_tail
GO
-- Row by row.
--@ source: reasoned
DECLARE @s nvarchar(max) = REPLICATE(N'-', 100), @sum int = 0
SELECT @s += CAST(value AS nvarchar(10)) + N' ', @sum += LEN(@s) FROM GENERATE_SERIES(1, 30)
SELECT LEN(@s) AS length, RIGHT(@s, 12) AS tail, @sum AS sum_of_lengths
GO
-- Another's copy stays as it is, and so does what an error leaves.
--@ source: reasoned
DECLARE @s varchar(max) = REPLICATE('a', 200), @copy varchar(max)
SET @copy = @s
SET @s += 'b'
SELECT LEN(@s) AS s, LEN(@copy) AS copy
BEGIN TRY
    SET @s += 'c' + CAST(1 / 0 AS varchar(10))
END TRY
BEGIN CATCH
    SELECT LEN(@s) AS s, ERROR_NUMBER() AS number
END CATCH
GO
