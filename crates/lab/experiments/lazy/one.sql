BEGIN TRAN
INSERT dbo.Ledger VALUES ($(round))
COMMIT WITH (DELAYED_DURABILITY = $(commit_setting))
