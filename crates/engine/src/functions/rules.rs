//! Type rules of the forms that the binder evaluates itself.
