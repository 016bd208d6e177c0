import Cluster
