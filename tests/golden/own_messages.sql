-- Messages of one's own: sp_addmessage, sp_altermessage, sp_dropmessage, and their use.
--@ source: documentation sp_addmessage
EXEC sp_addmessage @msgnum = 60000, @severity = 16, @msgtext = N'This is a test message with one numeric parameter (%d), one string parameter (%s), and another string parameter (%s).', @lang = 'us_english'
EXEC sp_addmessage @msgnum = 60000, @severity = 16, @msgtext = N'Dies ist eine Testmeldung mit einem Zeichenfolgenparameter (%3!), einem weiteren Zeichenfolgenparameter (%2!), und einem numerischen Parameter (%1!).', @lang = 'German'
EXEC sp_addmessage 50001, 14, N'%s is out of 20 to 100: %5d'
SELECT message_id, language_id, severity, is_event_logged, text FROM sys.messages WHERE message_id > 50000 ORDER BY message_id, language_id
SELECT error, severity, dlevel, description, msglangid FROM sysmessages WHERE error > 50000 ORDER BY error, msglangid
GO
--@ source: documentation sp_addmessage
SET LANGUAGE us_english
RAISERROR (60000, 1, 1, 15, 'param1', 'param2')
SET LANGUAGE German
RAISERROR (60000, 1, 1, 15, 'param1', 'param2')
RAISERROR (50001, 10, 1, 'Prozent', 7)
SELECT FORMATMESSAGE(60000, 1, 'a', 'b') AS de
SET LANGUAGE us_english
GO
--@ source: documentation RAISERROR
BEGIN TRY
    RAISERROR (50001, -1, 7, N'percent', 7)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity, ERROR_STATE() AS state, ERROR_MESSAGE() AS message
END CATCH
DECLARE @text nvarchar(2048) = FORMATMESSAGE(50001, 'rate', 3)
BEGIN TRY
    THROW 60001, @text, 5
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message
END CATCH
SELECT FORMATMESSAGE(50002, 1) AS none
GO
--@ source: message 50001
RAISERROR (50001, 16, 1, 'percent', 12)
GO
--@ source: message 2786
RAISERROR (50001, 16, 1, 3, 12)
GO
--@ source: message 18054
RAISERROR (50002, 16, 1)
GO
--@ source: reasoned
CREATE PROCEDURE dbo.checked @n int AS
IF @n NOT BETWEEN 20 AND 100 RAISERROR (50001, 16, 1, '@n', @n)
RETURN 5
GO
--@ source: reasoned
DECLARE @r int
EXEC @r = dbo.checked 1
SELECT @r AS r, @@ERROR AS error
DROP PROCEDURE dbo.checked
GO
--@ source: message 15043
EXEC sp_addmessage 50001, 16, N'again'
GO
--@ source: documentation sp_addmessage
EXEC sp_addmessage 60000, 11, N'replaced %s', 'us_english', 'true', 'replace'
EXEC sp_addmessage 60000, 11, N'ersetzt', 'Deutsch', 'false', 'REPLACE'
SELECT message_id, language_id, severity, is_event_logged, text FROM sys.messages WHERE message_id > 50000 ORDER BY message_id, language_id
EXEC sp_altermessage 60000, 'WITH_LOG', 'false'
SELECT language_id, is_event_logged FROM sys.messages WHERE message_id = 60000 ORDER BY language_id
GO
--@ source: message 15280
EXEC sp_dropmessage 60000
GO
--@ source: documentation sp_dropmessage
EXEC sp_dropmessage 60000, 'German'
SELECT COUNT(*) AS n FROM sys.messages WHERE message_id = 60000
EXEC sp_dropmessage @msgnum = 60000, @lang = 'all'
SELECT COUNT(*) AS n FROM sys.messages WHERE message_id = 60000
GO
--@ source: message 15179
EXEC sp_dropmessage 60000
GO
--@ source: message 15179
EXEC sp_dropmessage 60000, 'all'
GO
--@ source: message 15178
EXEC sp_dropmessage 208
GO
--@ source: message 15040
EXEC sp_addmessage 50000, 16, N'x'
GO
--@ source: message 15041
EXEC sp_addmessage 50002, 26, N'x'
GO
--@ source: message 15033
EXEC sp_addmessage 50002, 16, N'x', 'Klingon'
GO
--@ source: message 15271
EXEC sp_addmessage 50002, 16, N'x', NULL, 'maybe'
GO
--@ source: message 15279
EXEC sp_addmessage 50002, 16, N'x', 'French'
GO
--@ source: message 15304
EXEC sp_addmessage 50001, 16, N'x', 'French'
GO
--@ source: message 15071
EXEC sp_addmessage 50002
GO
--@ source: message 15179
EXEC sp_altermessage 50002, 'WITH_LOG', 'true'
GO
--@ source: message 15600
EXEC sp_altermessage 50001, 'WITH_EVENT', 'true'
GO
--@ source: message 40510
EXEC sp_altermessage 208, 'WITH_LOG', 'true'
GO
--@ source: reasoned
BEGIN TRANSACTION
EXEC sp_addmessage 50003, 16, N'stays'
ROLLBACK
SELECT text FROM sys.messages WHERE message_id = 50003
CREATE LOGIN messages_login WITH PASSWORD = 'Strong-Pass-1'
GO
--@ source: reasoned
EXECUTE AS LOGIN = 'messages_login'
BEGIN TRY
    EXEC sp_addmessage 50004, 16, N'x'
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number
END CATCH
REVERT
DROP LOGIN messages_login
EXEC sp_dropmessage 50001
EXEC sp_dropmessage 50003
GO
