BACKUP LOG [$(database)] TO DISK = 'NUL'
