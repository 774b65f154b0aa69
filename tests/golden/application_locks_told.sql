-- APPLOCK_MODE and APPLOCK_TEST.
--@ session one
--@ source: documentation APPLOCK_MODE
BEGIN TRAN
DECLARE @result int
EXEC @result = sp_getapplock @DbPrincipal = 'public', @Resource = 'Form1', @LockMode = 'Shared', @LockOwner = 'Transaction'
SELECT APPLOCK_MODE('public', 'Form1', 'Transaction') AS mode, APPLOCK_MODE('public', 'Form1', 'Session') AS of_session, APPLOCK_MODE('public', 'form1', 'Transaction') AS other
GO
--@ session two
--@ source: documentation APPLOCK_TEST
BEGIN TRAN
SELECT APPLOCK_MODE('public', 'Form1', 'Transaction') AS mode
SELECT APPLOCK_TEST('public', 'Form1', 'Shared', 'Transaction') AS shared
SELECT APPLOCK_TEST('public', 'Form1', 'Exclusive', 'Transaction') AS exclusive
GO
--@ session one
--@ source: documentation APPLOCK_TEST
EXEC sp_releaseapplock @Resource = 'Form1', @DbPrincipal = 'public'
GO
--@ session two
--@ source: documentation APPLOCK_TEST
SELECT APPLOCK_TEST('public', 'Form1', 'Exclusive', 'Transaction') AS exclusive
COMMIT
GO
--@ session one
--@ source: documentation sp_getapplock
COMMIT
EXEC sp_getapplock 'Form1', 'Update', 'Session'
EXEC sp_getapplock 'Form1', 'IntentExclusive', 'Session'
SELECT APPLOCK_MODE('public', 'Form1', 'Session') AS mode, APPLOCK_TEST('public', 'Form1', 'Exclusive', 'Session') AS own, APPLOCK_MODE('dbo', 'Form1', 'Session') AS of_dbo
GO
--@ session two
--@ source: documentation APPLOCK_TEST
SELECT APPLOCK_TEST('public', 'Form1', 'IntentShared', 'Session') AS intent, APPLOCK_TEST('public', 'Form1', 'Shared', 'Session') AS shared, APPLOCK_MODE(NULL, 'Form1', 'Session') AS nothing
GO
--@ session one
--@ source: message 1225
SELECT APPLOCK_TEST('public', 'Form1', 'Strong', 'Session')
GO
--@ source: message 1226
SELECT APPLOCK_MODE('public', 'Form1', 'Nobody')
GO
--@ source: message 15626
SELECT APPLOCK_TEST('public', 'Form1', 'Shared', 'Transaction')
GO
--@ source: documentation APPLOCK_MODE
EXEC sp_releaseapplock 'Form1', 'Session'
EXEC sp_releaseapplock 'Form1', 'Session'
SELECT APPLOCK_MODE('public', 'Form1', 'Session') AS mode, SQL_VARIANT_PROPERTY(APPLOCK_TEST('public', 'Form1', 'Shared', 'Session'), 'BaseType') AS type
GO
