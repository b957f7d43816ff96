export { HarvesterValidation, HarvesterValidationProps } from './validation-plugin';
