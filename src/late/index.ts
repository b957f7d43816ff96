export { EdgeType, Edges } from './edge';
export { LateObject, LateSource } from './late-source';
export { LateType, LateValue, LateValueProps } from './late-value';
export { SecretValue } from './secret-value';
