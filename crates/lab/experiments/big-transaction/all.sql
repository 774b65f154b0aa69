SET NOCOUNT ON
DECLARE @from int = 0
WHILE @from < $(rows)
BEGIN
    UPDATE dbo.Big SET done = done + 1, filler = REPLICATE(CHAR(65 + id % 26), 200) WHERE id >= @from AND id < @from + $(piece)
    SET @from = @from + $(piece)
    $(between)
END
