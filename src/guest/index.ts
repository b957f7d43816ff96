export { IGuestCluster } from './guest-cluster-ref';
