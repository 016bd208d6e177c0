import ControlServer
import Logging
import MediaEngine

extension Relay {
    /// Raises the process's limit of open files, divides it, and logs the result.
    ///
    /// - Throws: `openFiles` if the limit is too low.
    func fileBudget() throws(RelayError) -> FileBudget {
        let limit = OpenFileLimit.raise() ?? FileBudget.unknownLimit
        let budget = try FileBudget(limit: limit, configuration: configuration)
        logger.info(
            "connection limits",
            metadata: [
                "connections": "\(budget.connections)", "connectionsPerAddress": "\(budget.connectionsPerAddress)",
                "mediaConnections": "\(budget.mediaConnectionsPerWorker * configuration.mediaWorkers)",
                "openFiles": "\(budget.limit)", "reservedFiles": "\(budget.reserved)",
            ])
        if budget.connections < configuration.httpConnections {
            logger.warning(
                "http.connections is lowered to fit the limit of open files",
                metadata: ["configured": "\(configuration.httpConnections)", "effective": "\(budget.connections)"])
        }
        return budget
    }

    func engineConfiguration(_ files: FileBudget) -> EngineConfiguration {
        var engine = configuration.engine
        engine.webRTC.streams.connections = files.mediaConnectionsPerWorker
        engine.webRTC.streams.descriptorCeiling = files.ceiling
        return engine
    }

    func controlConfiguration(_ files: FileBudget) -> ControlConfiguration {
        var control = configuration.control
        control.connections = files.connections
        control.connectionsPerAddress = files.connectionsPerAddress
        control.descriptorCeiling = files.ceiling
        return control
    }
}
