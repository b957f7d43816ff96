import './registry/register';
export {
  DockerStorageDriver,
  Rke1CloudProvider,
  Rke1ApiServer,
  Rke1ClusterProps,
  Rke1Docker,
  Rke1Drain,
  Rke1Etcd,
  Rke1EtcdBackup,
  Rke1Kubelet,
  Rke1Network,
  Rke1NetworkPlugin,
  Rke1PodSecurity,
  Rke1Service,
  Rke1Services,
  Rke1UpgradeStrategy,
} from './guest/rke1/rke1-cluster-props';
export { Rke1Cluster } from './guest/rke1/rke1-cluster';
