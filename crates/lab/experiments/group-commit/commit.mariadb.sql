INSERT INTO ledger VALUES ($(client), $(round), 'one commit');
