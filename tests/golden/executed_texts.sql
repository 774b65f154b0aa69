-- EXEC ('…' + @v): the variable's type does not matter, its text is joined.
--@ source: documentation EXECUTE
SET NOCOUNT ON
DECLARE @i int = 7, @b bigint = 8000000000, @d date = '2020-01-02', @m money = 1.5, @v varchar(10) = 'x', @t bit = 1
EXEC ('SELECT ' + @i + ' AS i')
EXEC ('SELECT ' + @i)
EXEC ('SELECT ' + @i + ' + ' + @b + ' AS sum_of_both, ''' + @d + ''' AS d, ' + @m + ' AS m, ''' + @v + ''' AS v, ' + @t + ' AS t')
GO
-- Between variables of numbers, too.
--@ source: reasoned
DECLARE @i int = 7, @s sysname = N'SELECT 1'
EXEC (@s + @i)
GO
