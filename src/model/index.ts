export { Finding, FindingObject } from './finding';
export { INamespace } from './namespace';
export { TargetKind } from './target-kind';
export { IGuestTarget, IHarvesterTarget, IRancherTarget, ITarget } from './target';
