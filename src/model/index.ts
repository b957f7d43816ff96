export { Finding, FindingObject } from './finding';
export { TargetKind } from './target-kind';
export { IGuestTarget, IHarvesterTarget, IRancherTarget, ITarget } from './target';
