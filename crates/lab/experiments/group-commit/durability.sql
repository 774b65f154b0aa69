ALTER DATABASE [$(database)] SET DELAYED_DURABILITY = $(durability)
