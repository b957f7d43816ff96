export { EdgeType, Edges } from './edge';
export { LateObject, LateSource } from './late-source';
export { LateType, LateValue, LateValueProps } from './late-value';
export { SecretFileOptions, SecretValue } from './secret-value';
