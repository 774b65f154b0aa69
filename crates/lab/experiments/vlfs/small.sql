EXEC dbo.change_some $(client), $(round), $(batch)
