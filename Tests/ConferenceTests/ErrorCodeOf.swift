import Signaling

/// Returns the code of the error that `body` throws: nil if it throws none, `internalError` if the error has no code.
func code(_ body: () throws -> Void) -> ErrorCode? {
    do {
        try body()
        return nil
    } catch {
        return (error as? SignalingError)?.code ?? .internalError
    }
}
