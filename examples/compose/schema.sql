IF DB_ID('shop') IS NULL CREATE DATABASE shop;
GO
USE shop;
GO
IF OBJECT_ID('dbo.items') IS NULL
    CREATE TABLE dbo.items (id int IDENTITY PRIMARY KEY, name nvarchar(50) NOT NULL UNIQUE);
GO
IF NOT EXISTS (SELECT * FROM dbo.items)
    INSERT dbo.items (name) VALUES (N'tea'), (N'coffee');
GO
SELECT COUNT(*) AS items FROM dbo.items;
GO
