// What --version is measured against: the smallest C++ program that prints a line.
#include <iostream>

int main() { std::cout << "hello world\n"; }
