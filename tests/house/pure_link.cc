// Links every object of base, policy and plan and nothing else of the project. That it links is
// the test: a pure folder that needs sys/ or a higher floor leaves a symbol undefined here.
int main() { return 0; }
