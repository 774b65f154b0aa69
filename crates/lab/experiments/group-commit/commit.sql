SET NOCOUNT ON
BEGIN TRAN
INSERT dbo.Ledger VALUES ($(client), $(round), 'one commit')
COMMIT
