/// A weak reference that is set once. Weak references are read and cleared atomically by the runtime.
final class WeakBox<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?

    init(_ object: Object) { self.object = object }
}
