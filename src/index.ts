export * from './model';
export * from './versions';
