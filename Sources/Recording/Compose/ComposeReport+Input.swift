import Containers

extension ComposeReport {
    mutating func warn(_ file: ComposeFile, _ code: Warning.Code, _ message: String) {
        warnings.append(Warning(file: file.entry.file, code: code, message: message))
    }

    /// Notes the state of a file that has been read to its end.
    mutating func note(_ input: ComposeInput) {
        files[input.index].isBeingWritten = input.isBeingWritten
        files[input.index].undecryptable = input.undecryptable
        if input.undecryptable > 0 {
            warn(input.file, .undecryptable, "\(input.undecryptable) frames and packets that the secret does not open")
        }
        // The incomplete end of a growing file is not damage.
        let damage = input.damage
        let expected = input.isBeingWritten && input.isCutOff ? 1 : 0
        if damage.count > expected, let first = damage.notes.first {
            let more = damage.count > 1 ? " and \(damage.count - 1) more" : ""
            warn(input.file, .damaged, "\(first)\(more)")
        }
    }
}
