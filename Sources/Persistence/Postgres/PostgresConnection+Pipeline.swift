import CPQ
import Glibc
import MediaBase

/// Pipelines: statements are sent without waiting for the results of those before them, so that a transaction does not wait for the network at
/// each of them. Values have the database's binary format, so texts can contain any character.
extension PostgresConnection {
    /// Begins the use of pipelines, after which `run` is not available.
    func enterPipeline() throws(PostgresError) {
        guard library.enter_pipeline(handle) == 1 else { throw lost() }
    }

    /// Queues a statement, which is prepared at its first use.
    func add(_ sql: String, _ values: [MessageValue] = []) throws(PostgresError) {
        let name: String
        if let known = pipeline.names[sql] {
            name = known
        } else {
            // A name that a failed pipeline may have prepared is not used again.
            pipeline.lastName += 1
            name = "p\(pipeline.lastName)"
            guard library.send_prepare(handle, name, sql, 0, nil) == 1 else { throw lost() }
            pipeline.isStatement.append(false)
            pipeline.names[sql] = name
            pipeline.new.append(sql)
        }
        guard send(name, values) else { throw lost() }
        pipeline.isStatement.append(true)
    }

    private func send(_ name: String, _ values: [MessageValue]) -> Bool {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>?] = []
        for value in values {
            let start = bytes.count
            switch value {
            case .null:
                ranges.append(nil)
                continue
            case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
            case .text(let text), .body(let text): bytes.append(contentsOf: text.utf8)
            }
            ranges.append(start..<bytes.count)
        }
        // An empty text has an address too.
        bytes.append(0)
        let lengths = ranges.map { Int32(clamping: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: values.count)
        return bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = ranges.map { range in range.flatMap { used in base.map { $0 + used.lowerBound } } }
            return library.send_prepared(handle, name, Int32(values.count), pointers, lengths, formats, 1) == 1
        }
    }

    /// Sends all queued statements, and waits until they have been carried out.
    ///
    /// - Returns: their results, in order.
    /// - Throws: the first failure. The database has not carried out the statements behind it.
    func synchronize() throws(PostgresError) -> [PostgresRows] {
        let queued = pipeline.isStatement, new = pipeline.new
        pipeline.isStatement = []
        pipeline.new = []
        guard library.pipeline_sync(handle) == 1 else { throw lost() }
        let deadline = MediaTime.monotonic + Self.statementTime
        try flush(until: deadline)
        var results: [PostgresRows] = []
        var failure: PostgresError?
        var index = 0
        var isSeparator = false
        while true {
            while library.is_busy(handle) == 1 { try wait(for: POLLIN, until: deadline) }
            guard let next = library.get_result(handle) else {
                // One separator follows each result; more mean that the connection is lost.
                if isSeparator { throw lost(failure) }
                isSeparator = true
                continue
            }
            isSeparator = false
            let rows = PostgresRows(library, next)
            if rows.isEndOfPipeline { break }
            if !rows.isSkipped {
                failure = failure ?? rows.failure
                if queued.indices.contains(index), queued[index] { results.append(rows) }
            }
            index += 1
        }
        guard let failure else { return results }
        for sql in new { pipeline.names[sql] = nil }
        throw library.status(handle) == CONNECTION_OK ? failure : lost(failure)
    }

    /// Receives without waiting.
    ///
    /// - Returns: whether a notice has arrived since the last call.
    func receiveNotices() throws(PostgresError) -> Bool {
        guard library.consume_input(handle) == 1 else { throw lost() }
        var isThere = false
        while let notice = library.next_notice(handle) {
            library.free_memory(notice)
            isThere = true
        }
        return isThere
    }
}
