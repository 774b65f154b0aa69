SET NOCOUNT ON
DECLARE @Counter int = $(rows)
$(begin)
WHILE @Counter > 0
BEGIN
    INSERT INTO dbo.MyTable (SomeText, MoreText)
    VALUES ('Num:' + CONVERT(varchar, @Counter), CONVERT(varchar, @Counter) + ' bottles of beer on the wall')
    SET @Counter = @Counter - 1
    $(each)
END
$(end)
